package bench

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ringpeak/go/result"
)

// teller notes what it is told, and fails when it is told to.
type teller struct {
	name string
	log  *[]string
	err  error
}

func (l teller) Started(*result.Result) error {
	*l.log = append(*l.log, l.name+" started")
	return l.err
}

func (l teller) Interval(_ *result.Result, iv *result.Interval) error {
	*l.log = append(*l.log, fmt.Sprint(l.name, " ", iv.StartNS))
	return l.err
}

func TestObservers(t *testing.T) {
	var log []string
	broken := errors.New("broken")
	all := Observers{teller{"a", &log, nil}, teller{"b", &log, broken}, teller{"c", &log, errors.New("later")}}
	if err := all.Started(nil); err != broken {
		t.Errorf("started: %v", err)
	}
	if err := all.Interval(nil, &result.Interval{StartNS: 7}); err != broken {
		t.Errorf("interval: %v", err)
	}
	if d := cmp.Diff([]string{"a started", "b started", "a 7", "b 7", "c 7"}, log); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if err := (Observers{teller{"a", &log, nil}}).Started(nil); err != nil {
		t.Error(err)
	}
	iv := &result.Interval{}
	some := Observers{quiet{}, quiet{}}
	if n := testing.AllocsPerRun(100, func() { _ = some.Interval(nil, iv) }); n != 0 {
		t.Errorf("%v allocations an interval", n)
	}
}

type quiet struct{}

func (quiet) Started(*result.Result) error                    { return nil }
func (quiet) Interval(*result.Result, *result.Interval) error { return nil }
