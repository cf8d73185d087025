package ab

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ringpeak/go/result"
)

// Self is the running binary, whatever has become of its file meanwhile.
const Self = "/proc/self/exe"

// document is where a slice writes its result: a pipe, as its first descriptor
// beyond the standard ones.
const document = "/proc/self/fd/3"

// longest is the longest document that is read. Those of slices are a
// thousandth of that; but another binary may write anything.
const longest = 64 << 20

// Program is the Runner that makes each slice a process: this binary or
// another one, with memory, threads and rings of its own. A slice that is told
// to stop drains first, and it is told so too when this process dies.
type Program struct {
	Plan result.ABPlan
	Arms []result.ABArm
	// Read reads a document that errors call name.
	Read func(in io.Reader, name string) (*result.Result, error)
	// Grace is how long a slice may take to end beyond its time, or once it
	// was told to; 0 is a minute.
	Grace time.Duration
	// Group knows the slice that goes on; nil if nobody needs to.
	Group *Group
}

var _ Runner = (*Program)(nil)

// Slice implements Runner.
func (p *Program) Slice(j Job, stop <-chan string) (*result.Result, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, result.Errorf(result.StatusSetup, "make a pipe: %w", err)
	}
	defer read.Close()
	cmd, stderr := p.command(j, write)
	text := make(chan []byte, 1)
	ended := make(chan error, 1)
	begun := make(chan error, 1)
	go func() {
		// PR_SET_PDEATHSIG speaks of the thread that started the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		begun <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	err = <-begun
	write.Close()
	if err != nil {
		return nil, result.Errorf(result.StatusSetup, "start %s: %w", cmd.Path, err)
	}
	p.Group.began(cmd.Process.Pid)
	defer p.Group.ended()
	go func() {
		b, _ := io.ReadAll(io.LimitReader(read, longest+1)) // what is missing shows when it is parsed
		read.Close()                                        // who writes more learns that nobody reads it
		text <- b
	}()
	stopped, err := p.wait(cmd, ended, stop)
	doc := p.rest(cmd, read, text)
	switch {
	case stopped:
		return nil, ErrStopped
	case len(doc) > longest:
		return nil, result.Errorf(result.StatusSetup, "it wrote more than %d MiB as its result: is it a ringpeak?", longest>>20)
	case err != nil:
		return nil, failed(err, stderr.String())
	case len(bytes.TrimSpace(doc)) == 0:
		return nil, result.Errorf(result.StatusSetup, "it ended well and wrote no result: is it a ringpeak?")
	}
	res, err := p.Read(bytes.NewReader(doc), "the document of the slice")
	if err != nil {
		return nil, result.Because(err, result.StatusSetup, "%s", err)
	}
	return res, nil
}

// rest is the document of a slice that has ended. Whatever that has left
// behind, and keeps a descriptor of the slice's, is killed.
func (p *Program) rest(cmd *exec.Cmd, read *os.File, text <-chan []byte) []byte {
	select {
	case doc := <-text:
		return doc
	case <-time.After(leftover):
		killGroup(cmd)
	}
	select {
	case doc := <-text:
		return doc
	case <-time.After(leftover): // it has left the group
		read.Close()
		return <-text
	}
}

// command is the process of a slice, and what it will have said on stderr.
func (p *Program) command(j Job, pipe *os.File) (*exec.Cmd, *said) {
	arm := &p.Arms[j.Arm]
	path := Self
	if arm.Binary != "" {
		path = arm.Binary
	}
	args := []string{
		"ringpeak", "--runtime=" + seconds(p.Plan.SliceNS), "--interval=" + seconds(p.Plan.SliceNS), "--warmup=" + seconds(p.Plan.SettleNS),
		"--seed=" + strconv.FormatUint(j.Seed, 10), "--no-ceiling", "--json=" + document,
	}
	stderr := new(said)
	return &exec.Cmd{
		Path: path, Args: append(args, arm.Args...),
		Stderr: stderr, ExtraFiles: []*os.File{pipe}, WaitDelay: leftover,
		// A group of its own: Ctrl-C is for this process to pass on.
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM},
	}, stderr
}

// wait waits for the end of a slice. One that outlasts its time or its grace is
// killed, with all its children.
func (p *Program) wait(cmd *exec.Cmd, ended <-chan error, stop <-chan string) (stopped bool, err error) {
	grace := p.Grace
	if grace == 0 {
		grace = time.Minute
	}
	late := time.NewTimer(time.Duration(p.Plan.SliceNS+p.Plan.SettleNS) + grace)
	defer late.Stop()
	for {
		select {
		case err := <-ended:
			return stopped, leaving(cmd, err)
		case <-stop:
			stopped, stop = true, nil
			// To all: a shell that has not said exec tells nobody. It may
			// have ended just now.
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
			late.Reset(grace)
		case <-late.C:
			select {
			case err := <-ended: // it is this process that was stopped meanwhile
				return stopped, leaving(cmd, err)
			default:
			}
			killGroup(cmd)
			<-ended
			return stopped, errLate
		}
	}
}

var errLate = errors.New("it did not end in time and was killed")

// failed makes an error of a slice's end: the sentence that it said itself, and
// the status that goes with that. Without one it is no refusal, whatever the
// status: Go programs that crash end with that of a wrong command line.
func failed(err error, stderr string) error {
	for line := range strings.Lines(stderr) {
		said, ours := strings.CutPrefix(strings.TrimSpace(line), "ringpeak: ")
		if ours && !strings.HasPrefix(said, "note: ") {
			return result.Because(err, statusOf(err), "%s", said)
		}
	}
	if first := firstLine(stderr); first != "" {
		return result.Because(err, result.StatusIO, "%s%s", err, first)
	}
	return result.Because(err, result.StatusIO, "%s, and it said nothing", err)
}

func statusOf(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		switch c := exit.ExitCode(); c {
		case result.StatusUsage, result.StatusUnsafe, result.StatusSetup:
			return c
		}
	}
	return result.StatusIO
}

// seconds is a time as the command line takes it, exactly.
func seconds(ns int64) string { return time.Duration(ns).String() }
