package report

import (
	"fmt"
	"strings"

	"ringpeak/go/result"
)

// latencyColumns is how many percentiles stand in one row.
const latencyColumns = 4

// latency writes the distribution when it was asked for: "n/a" when there are
// no samples, never zero. The unit is one for all figures.
func (t *Text) latency(r *result.Result) {
	l := r.Latency
	switch {
	case l == nil && !r.Spec.Latency:
		return
	case l == nil:
		t.out.linef("")
		t.out.items("latency", "n/a, no samples")
		return
	}
	t.out.linef("")
	if l.Samples == 0 {
		t.out.items("latency", "n/a, no samples in range, "+overRange(r))
		return
	}
	unit, write := nanoseconds(l.MeanNS)
	t.out.items("latency", "unit="+unit, "mean="+write(l.MeanNS), "min="+write(float64(l.MinNS)), "max="+write(float64(l.MaxNS)),
		"stddev="+write(l.StdDevNS), fmt.Sprintf("samples=%d", l.Samples), overRange(r))
	t.percentiles(l, write)
	if l.OverRange > 0 {
		t.out.sentence("", "mean, max and stddev are of the samples in range; percentiles that fall above it are left out")
	}
}

func (t *Text) percentiles(l *result.Latency, write func(float64) string) {
	width := 0
	for _, p := range l.Percentiles {
		width = max(width, len(write(float64(p.NS))))
	}
	line := ""
	for i, p := range l.Percentiles {
		line += fmt.Sprintf("%6.2f%% %*s   ", p.Percent, width, write(float64(p.NS)))
		if i%latencyColumns == latencyColumns-1 || i == len(l.Percentiles)-1 {
			t.out.linef("%s%s", pad("", labelWidth), strings.TrimRight(line, " "))
			line = ""
		}
	}
}
