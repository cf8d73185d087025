package config

import "ringpeak/go/result"

// Outputs are where the record of a run goes, beside the text: each a file, or
// "" for nowhere.
type Outputs struct {
	JSON        string // the document; "-" is stdout
	JSONL       string // the same in lines, while it runs; "-" is stdout
	OpenMetrics string
	HDR         string // a log of HdrHistogram
	Bench       string // Go's benchmark format; "-" is stdout
}

// OnStdout says whether one of them has taken stdout.
func (o *Outputs) OnStdout() bool { return o.JSON == "-" || o.JSONL == "-" || o.Bench == "-" }

func (r *resolver) outputs() Outputs {
	return Outputs{JSON: r.text(nJSON), JSONL: r.text(nJSONL), OpenMetrics: r.text(nOpenMetrics), HDR: r.text(nHDR), Bench: r.text(nBench)}
}

// checkOutputs looks at the names only.
func (r *resolver) checkOutputs() error {
	o := r.outputs()
	switch {
	case o.JSON == "-" && o.JSONL == "-":
		return oneStdout(nJSON, nJSONL)
	case o.JSON == "-" && o.Bench == "-":
		return oneStdout(nJSON, nBench)
	case o.JSONL == "-" && o.Bench == "-":
		return oneStdout(nJSONL, nBench)
	case o.OpenMetrics == "-":
		return result.Errorf(result.StatusUsage, "--openmetrics takes a file, whole or absent, and not stdout (a file called - is ./-)")
	case o.HDR == "-":
		return result.Errorf(result.StatusUsage, "--hdr takes a file, whole or absent, and not stdout (a file called - is ./-)")
	case o.HDR != "" && r.set(nLatency) && !r.on(nLatency):
		return result.Errorf(result.StatusUsage, "--hdr and -t0 exclude each other: without latencies there is nothing to write; leave one out")
	}
	return nil
}

func oneStdout(a, b string) error {
	return result.Errorf(result.StatusUsage, "--%s - and --%s - exclude each other: stdout takes one of them; give the other a file", a, b)
}
