// Package plan holds what the host and the guest of the lab tell each other: the plan that the initramfs carries
// as /job.json (devices to make, commands to run), and the events that come back over a serial line, one JSON
// object on each line. It does nothing itself and imports the standard library alone.
package plan

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Path is where the guest finds the plan.
const Path = "/job.json"

// Scratch is the serial number of the virtio disk that carries the file system for the guest's /tmp.
const Scratch = "scratch"

// Dir is where the guest's devices have names that do not change with the kernel.
const Dir = "/dev/lab/"

// Mark begins the lines that the guest itself writes into the kernel log.
const Mark = "lab: "

// Plan is all that the guest does before it powers off.
type Plan struct {
	Kernel  string // what the user called it: 6.12
	Modules []Module
	Devices []Device
	Shell   bool // a prompt on the serial line instead of jobs and events
	Jobs    []Job
}

// Module is loaded in the order of the list.
type Module struct {
	Name   string
	File   string
	Params string
}

// Device is one device to make, or to find, and its name below Dir.
type Device struct {
	Name string
	Kind string // nvme, virtio, null, brd, dm, loop, zram

	Serial string   // nvme, virtio: which controller or disk
	NSID   int      // nvme
	Attrs  []string // null: key=value for configfs, in this order
	Over   string   // dm: the device below
	MiB    int      // dm, loop, zram: size
	LBA    int      // loop: sector size

	// Faulty devices fail on purpose: their I/O errors in the kernel log are no finding.
	Faulty bool `json:",omitempty"`
}

// Job is one command.
type Job struct {
	Name    string
	Argv    []string
	Env     []string // beyond the guest's own
	Dir     string
	Timeout time.Duration
}

// Kinds of events.
const (
	Note   = "note"   // something the guest could not do as planned
	Made   = "made"   // a device: Name, and Node as the kernel calls it
	Begin  = "begin"  // a job starts
	Stdout = "stdout" // its output, as it comes
	Stderr = "stderr"
	End    = "end" // it ended
	Off    = "off" // all jobs were run; the guest powers off
)

// Event is one thing that happened in the guest.
type Event struct {
	Kind     string
	Job      int           `json:",omitempty"`
	Name     string        `json:",omitempty"`
	Node     string        `json:",omitempty"`
	Text     string        `json:",omitempty"`
	Data     []byte        `json:",omitempty"`
	Status   int           `json:",omitempty"` // as a shell has it: 128 + signal for one that a signal ended
	TimedOut bool          `json:",omitempty"`
	Elapsed  time.Duration `json:",omitempty"`
}

// Sender writes events; several goroutines may share it.
type Sender struct {
	mu sync.Mutex
	w  io.Writer
}

// NewSender writes to w.
func NewSender(w io.Writer) *Sender { return &Sender{w: w} }

// Send writes one event in one write, so that no other line gets between.
func (s *Sender) Send(e Event) error {
	b, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode event %s: %w", e.Kind, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.w.Write(append(b, '\n'))
	return err
}

// Output is a writer whose writes become events. Long ones are cut, to keep lines of a handy length.
func (s *Sender) Output(kind string, job int) io.Writer { return &output{s, kind, job} }

type output struct {
	s    *Sender
	kind string
	job  int
}

const maxData = 4096

func (o *output) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n := min(len(p)-done, maxData)
		if err := o.s.Send(Event{Kind: o.kind, Job: o.job, Data: p[done : done+n]}); err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// Receive reads events until the line ends, and calls handle for each. A line that is none (a firmware may print
// some) goes to stray.
func Receive(r io.Reader, handle func(Event), stray func(string)) error {
	br := bufio.NewReader(r)
	for {
		line, err := br.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			var e Event
			if json.Unmarshal(line, &e) == nil && e.Kind != "" {
				handle(e)
			} else {
				stray(string(line))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the guest's events: %w", err)
		}
	}
}
