package result

// Trend says how the rate moved over the window, from the whole intervals in
// their order. With repeats the windows are joined, what lay between them cut
// out.
type Trend struct {
	// DriftPercent is the rise of the least-squares line through the rates
	// from one end of the window to the other, in percent of their mean.
	DriftPercent float64 `json:"drift_percent"`
	// DriftStdErrPercent is its standard error, with as many degrees of
	// freedom as the correlation of the residuals leaves; null when that is
	// none.
	DriftStdErrPercent OptFloat `json:"drift_stderr_percent"`
	// Lag1 is the correlation of the rates with those one interval later;
	// null with fewer than ten intervals, or when they are all alike.
	Lag1 OptFloat `json:"lag1_correlation"`
}

// MedianInterval is where the median lies, with 95 % confidence, in I/Os per
// second.
type MedianInterval struct {
	Low  float64 `json:"low_iops"`
	High float64 `json:"high_iops"`
	// Of is what was taken for independent: "intervals", "batches" of so many
	// intervals that they are about independent, or "repeats".
	Of string `json:"of"`
	// Units is how many there were, and PerUnit the intervals in each; 0 for
	// repeats, which have their own number.
	Units   int `json:"units"`
	PerUnit int `json:"per_unit_intervals,omitempty"`
}

// Steady holds the last rounds against SNIA's two criteria for a steady state
// (Solid State Storage Performance Test Specification): range at most 20 % of
// the average, slope excursion at most 10 %.
type Steady struct {
	Attained bool  `json:"attained"`
	Rounds   int   `json:"rounds"`    // in the measurement window
	RoundNS  int64 `json:"round_ns"`  // planned length of one
	StartNS  int64 `json:"start_ns"`  // of the measurement window, since the measured window opened
	LengthNS int64 `json:"length_ns"` // of its whole intervals together
	// IOPSMean is the average of the rounds; the percentages are of it.
	IOPSMean     float64 `json:"iops_mean"`
	RangePercent float64 `json:"range_percent"` // highest round − lowest
	SlopePercent float64 `json:"slope_percent"` // from the first round to the last along the least-squares line
	RangeLimit   float64 `json:"range_limit_percent"`
	SlopeLimit   float64 `json:"slope_limit_percent"` // of its absolute value
}

// Repeat is one of several runs with the same settings: rings opened anew,
// targets kept open, the same seed.
type Repeat struct {
	Number  int    `json:"repeat"`  // from 1 on, as in Interval
	Started string `json:"started"` // RFC 3339, UTC
	// Partial is one that did not come to its own end. It is in all totals
	// and in no spread over repeats.
	Partial      bool             `json:"partial,omitempty"`
	Reason       string           `json:"reason"` // as in End
	Summary      Summary          `json:"summary"`
	PerSubmitter []Counters       `json:"per_submitter"`
	PerTarget    []TargetCounters `json:"per_target"`
	TimeSplit    *TimeSplit       `json:"time_split"`
	Latency      *Latency         `json:"latency"`
	Usage        *Usage           `json:"usage"`
	Bound        *Bound           `json:"bound"`
	Checks       []Check          `json:"checks"`
}

// RepeatSpread is the spread over the rates of the complete repeats, each its
// completions over its own window.
type RepeatSpread struct {
	Complete   int      `json:"complete"`
	IOPSMedian float64  `json:"iops_median"`
	IOPSMin    float64  `json:"iops_min"`
	IOPSMax    float64  `json:"iops_max"`
	IOPSStdDev OptFloat `json:"iops_stddev"` // null with fewer than two
}
