package plan

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEventsSurvive(t *testing.T) {
	sent := []Event{
		{Kind: Note, Text: "null-poll: no \"poll_queues\"\nin this kernel"},
		{Kind: Made, Name: "null-bad", Node: "nullb5"},
		{Kind: Begin, Job: 1, Name: "x"},
		{Kind: Stdout, Job: 1, Data: []byte{0, 1, 0xff, '\n', '\r', '{'}},
		{Kind: End, Job: 1, Status: 137, TimedOut: true, Elapsed: 1500 * time.Millisecond},
		{Kind: Off},
	}
	var line bytes.Buffer
	s := NewSender(&line)
	for _, e := range sent {
		if err := s.Send(e); err != nil {
			t.Fatal(err)
		}
	}
	// A terminal may add carriage returns, and bytes may come one by one.
	text := strings.ReplaceAll(line.String(), "\n", "\r\n")
	var got []Event
	err := Receive(iotest.OneByteReader(strings.NewReader(text)), func(e Event) { got = append(got, e) }, func(s string) { t.Errorf("stray %q", s) })
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sent, got); diff != "" {
		t.Error(diff)
	}
}

func TestStrayLines(t *testing.T) {
	var stray []string
	events := 0
	text := "\x1b[2JSeaBIOS\n{\"Kind\":\"off\"}\n{}\n{\"Kind\":\"of"
	if err := Receive(strings.NewReader(text), func(Event) { events++ }, func(s string) { stray = append(stray, s) }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"\x1b[2JSeaBIOS", "{}", "{\"Kind\":\"of"}, stray); diff != "" || events != 1 {
		t.Error(diff, events)
	}
}

func TestOutputOfManyWriters(t *testing.T) {
	var line bytes.Buffer
	s := NewSender(&line)
	var wg sync.WaitGroup
	for job := range 4 {
		wg.Go(func() {
			w := s.Output(Stdout, job)
			for range 10 {
				if n, err := w.Write(bytes.Repeat([]byte{byte(job)}, 3*maxData+1)); err != nil || n != 3*maxData+1 {
					t.Error(n, err)
				}
			}
		})
	}
	wg.Wait()
	sizes := make([]int, 4)
	err := Receive(&line, func(e Event) {
		for _, b := range e.Data {
			if int(b) != e.Job {
				t.Fatalf("job %d got a byte of job %d", e.Job, b)
			}
		}
		sizes[e.Job] += len(e.Data)
	}, func(s string) { t.Errorf("stray %q", s) })
	if err != nil {
		t.Fatal(err)
	}
	for job, n := range sizes {
		if n != 10*(3*maxData+1) {
			t.Errorf("job %d: %d bytes", job, n)
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	r := io.MultiReader(strings.NewReader("{\"Kind\":\"off\"}\n"), iotest.ErrReader(errBroken))
	if err := Receive(r, func(Event) {}, func(string) {}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

var errBroken = errors.New("broken")
