package bench

import (
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"ringpeak/go/affinity"
	"ringpeak/go/engine"
	"ringpeak/go/result"
)

// member is one submitter and its goroutine. The goroutine owns sub until it
// closes stopped, except for what engine.Submitter allows from any thread;
// the fields below stopped are its own until done is closed.
type member struct {
	index int
	sub   engine.Submitter
	tid   int

	stopped chan struct{} // closed: it will not submit any more
	done    chan struct{} // closed: drained or given up, the rest is set
	closed  chan struct{}

	err      error // what ended it, if not the phase
	drainErr error
}

// drained says whether nothing of m's is in flight any more. It is not when
// its thread hangs in a call.
func (m *member) drained() bool {
	select {
	case <-m.done:
		return m.drainErr == nil
	default:
		return false
	}
}

// submit is the life of one submitter. Its thread is never unlocked: it ends
// with the goroutine, and the pinning with it.
func (r *run) submit(m *member, opened chan<- *member) {
	runtime.LockOSThread()
	defer close(m.closed)
	m.err = r.openMember(m)
	failed := m.err != nil
	opened <- m
	<-r.crew.start
	if failed {
		return
	}
	if !r.crew.aborted {
		r.batchLoop(m)
	}
	close(m.stopped)
	m.drainErr = m.sub.Drain(r.DrainTimeout)
	if m.err == nil && m.drainErr != nil && !errors.Is(m.drainErr, engine.ErrStuck) {
		m.err = result.Errorf(result.StatusIO, "drain %s: %w", r.filesOf(m), m.drainErr)
	}
	close(m.done)
	<-r.crew.release
	if m.drainErr == nil {
		m.sub.Close()
	}
}

func (r *run) batchLoop(m *member) {
	for {
		stopped, err := m.sub.Batch(r.Spec.Rounds)
		if err != nil {
			m.err = err
			r.crew.failed <- m
			return
		}
		if stopped {
			return
		}
	}
}

func (r *run) openMember(m *member) error {
	if r.crew.hurry.Load() {
		return errHurry
	}
	p := &r.res.Placements[m.index]
	m.tid = unix.Gettid()
	cpus := r.plan.CPUs
	if p.CPU >= 0 {
		cpus = []int{p.CPU}
	}
	if err := affinity.PinTo(cpus); err != nil {
		return fmt.Errorf("submitter %d: %w", m.index, err)
	}
	if p.Node >= 0 {
		if err := affinity.PreferNode(p.Node); err != nil {
			return fmt.Errorf("submitter %d: %w", m.index, err)
		}
	}
	sub, err := r.Engine.Open(r.memberConfig(m.index))
	m.sub = sub
	return err
}

// memberConfig is what submitter i is opened with.
func (r *run) memberConfig(i int) engine.Config {
	s := &r.Spec
	return engine.Config{
		Spec:          s,
		Polled:        r.polled,
		Depth:         s.Depth,
		SubmitBatch:   s.SubmitBatch,
		CompleteBatch: s.CompleteBatch,
		Files:         r.memberFiles(i),
		Seed:          streamSeed(s.Seed, i),
		FirstError:    r.firstErrorEnds(),
		BufferFD:      r.huge.FD(),
		BufferOffset:  int64(i) * r.huge.Share(),
		Clock:         r.clock,
	}
}

// memberFiles are the targets of submitter i. Submitters that walk the same
// target start at different places, spread evenly.
func (r *run) memberFiles(i int) []engine.File {
	var files []engine.File
	for _, t := range r.res.Placements[i].Targets {
		rank, sharers := 0, 0
		for j, p := range r.res.Placements {
			for _, u := range p.Targets {
				if u == t {
					sharers++
					if j < i {
						rank++
					}
				}
			}
		}
		f := r.engineFile(&r.res.Targets[t])
		f.Start = f.Blocks / int64(sharers) * int64(rank)
		files = append(files, f)
	}
	return files
}

// pract is bit 29 of command dword 12: the controller checks and strips
// protection information, which then needs no buffer (NVM command set, Read).
const pract = 1 << 29

// engineFile is a target as the engine takes it, read from its beginning.
func (r *run) engineFile(t *result.Target) engine.File {
	f := engine.File{FD: t.FD, Blocks: t.Blocks}
	if !r.Spec.Passthrough {
		return f
	}
	bs := r.Spec.BlockSize
	f.NSID = uint32(*t.NSID)
	f.LBAs = uint32(bs / *t.LogicalBlockBytes)
	f.Transfer = uint32(t.TransferBytes(bs))
	f.Metadata = uint32(t.MetadataBuffer(bs))
	if t.Metadata == result.MetadataPRACT {
		f.Control = pract
	}
	return f
}

// streamSeed gives each submitter a stream of its own: the finaliser of
// SplitMix64 over the seed and the submitter's number.
func streamSeed(seed uint64, i int) uint64 {
	z := seed + uint64(i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
