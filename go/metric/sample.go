package metric

import "ringpeak/go/result"

// Sample is one measurement that may be compared with others: a run, or one
// repeat of a run that has several. Intervals are none: those that follow each
// other are alike.
type Sample struct {
	Repeat  int // from 1 on; 0 is a run without repeats
	Summary *result.Summary
	Latency *result.Latency
	Usage   *result.Usage
}

// Samples are those of a document: its complete repeats, or else the run
// itself. Partial repeats are left out.
func Samples(r *result.Result) []Sample {
	if r.Spec.Repeat <= 1 {
		return []Sample{{Summary: &r.Summary, Latency: r.Latency, Usage: r.Usage}}
	}
	var list []Sample
	for i := range r.Repeats {
		p := &r.Repeats[i]
		if !p.Partial {
			list = append(list, Sample{Repeat: p.Number, Summary: &p.Summary, Latency: p.Latency, Usage: p.Usage})
		}
	}
	return list
}
