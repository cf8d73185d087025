package result

// ABSchemaVersion names the layout of the document of ab, by the rules of
// SchemaVersion.
const ABSchemaVersion = "ringpeak.ab/1"

// AB is the document of one comparison in pairs: arms that were measured in
// short slices, in turns.
type AB struct {
	Schema  string   `json:"schema"`
	Tool    Tool     `json:"tool"`
	Command []string `json:"command"` // argv
	System  System   `json:"system"`
	Started string   `json:"started"` // RFC 3339, UTC

	Plan   ABPlan  `json:"plan"`
	Arms   []ABArm `json:"arms"`
	Slices []Slice `json:"slices"` // in the order in which they were measured
	// Pairs is how many were completed: each arm measured, and nothing
	// failed. Everything below is of these alone.
	Pairs    int        `json:"pairs"`
	Outcomes []ABResult `json:"outcomes"` // of each arm after the first, against the first
	// Noise is what the machine does to two arms that are the same; only with
	// aa, and with pairs enough to tell.
	Noise *ABNoise `json:"noise"`
	Notes []Note   `json:"notes"`
	End   End      `json:"end"`
}

// ABPlan is what was asked for.
type ABPlan struct {
	Pairs     int      `json:"pairs"`             // at most, with Precision
	Precision OptFloat `json:"precision_percent"` // half-width at which to stop; null when it was not given
	SliceNS   int64    `json:"slice_ns"`          // measured window of a slice
	SettleNS  int64    `json:"settle_ns"`         // uncounted I/O before it
	Seed      uint64   `json:"seed"`              // of the order, and of the seeds of the pairs
	AA        bool     `json:"aa"`                // both arms are the same on purpose
	Switch    string   `json:"switch,omitempty"`
	Undo      string   `json:"undo,omitempty"`
}

// ABArm is one of what was compared.
type ABArm struct {
	Name   string   `json:"name"`             // its letter
	Flags  string   `json:"flags"`            // over the common ones, as given
	Args   []string `json:"args"`             // command line of its slices, but for what ab adds
	Binary string   `json:"binary,omitempty"` // another ringpeak's path; absent for this one

	// The rest is of its first slice, and null or empty before there was one.
	Tool    *Tool    `json:"tool"`
	Spec    *Spec    `json:"spec"`
	Targets []Target `json:"targets"`
	Granted *Granted `json:"granted"`
	// Checks are those that warned or failed in some of its slices.
	Checks []ArmCheck `json:"checks"`
	// Figures are over its slices in complete pairs, by metric.
	Figures []ArmFigure `json:"figures"`
}

// ArmCheck is a check that did not pass in all slices of an arm.
type ArmCheck struct {
	Code   string     `json:"code"`
	State  CheckState `json:"state"` // the worst
	Slices int        `json:"slices"`
	Text   string     `json:"text"` // of the first that had that state
}

// ArmFigure is how one metric is distributed over an arm's slices.
type ArmFigure struct {
	Metric string  `json:"metric"`
	Unit   string  `json:"unit"` // per_second, bytes_per_second, ns, ns_per_io, count_per_io
	N      int     `json:"n"`    // slices that have it
	Median float64 `json:"median"`
	Q1     float64 `json:"lower_quartile"`
	Q3     float64 `json:"upper_quartile"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Slice is one measurement of one arm.
type Slice struct {
	Pair    int    `json:"pair"` // from 1 on
	Arm     string `json:"arm"`
	Started string `json:"started"` // RFC 3339, UTC
	Seed    uint64 `json:"seed"`
	// Discarded is why it counts nowhere: it failed, was interrupted, or its
	// pair was not completed.
	Discarded string             `json:"discarded,omitempty"`
	Values    map[string]float64 `json:"values"` // by metric; absent is not measured
}

// ABVerdict says how an arm compares with the first.
type ABVerdict string

// The verdicts.
const (
	ABFaster       ABVerdict = "faster" // more IOPS
	ABSlower       ABVerdict = "slower"
	ABSame         ABVerdict = "no difference" // larger than Within
	ABInconclusive ABVerdict = "inconclusive"
)

// ABResult is how an arm compares with the first.
type ABResult struct {
	Arm     string    `json:"arm"`
	Against string    `json:"against"`
	Verdict ABVerdict `json:"verdict"` // by the first of Effects
	Text    string    `json:"text"`    // in words
	// Within is the largest difference that the interval leaves room for; null
	// unless the verdict is that there is no difference.
	Within OptFloat `json:"within_percent"`
	// MorePairs is about how many it would take to know the effect as
	// precisely as was asked for; null unless the verdict is inconclusive, and
	// when nothing can be told, or it takes more than 10000.
	MorePairs OptInt   `json:"more_pairs"`
	Effects   []Effect `json:"effects"` // by metric; those that some pair has
}

// Effect is how far one metric of an arm lies from that of the first, in percent
// of it.
type Effect struct {
	Metric string   `json:"metric"`
	Unit   string   `json:"unit"`
	Better string   `json:"better"`              // higher, lower
	Pairs  int      `json:"pairs"`               // that have it
	Change float64  `json:"change_percent"`      // median of the pairs' ratios, less one
	Low    OptFloat `json:"change_low_percent"`  // of its 95 % interval; null with too few pairs, or when not all have it
	High   OptFloat `json:"change_high_percent"` // likewise
	// P is that of the signed-rank test; with several arms multiplied as Holm
	// does.
	P float64 `json:"p"`
	// Significant: the interval excludes 0 and P is at most 0.05.
	Significant bool `json:"significant"`
}

// ABNoise is what comparisons on this machine have to reckon with.
type ABNoise struct {
	// Floor is half of the interval's width: two arms that are the
	// same come out as far apart as that.
	Floor float64 `json:"floor_percent"`
	Pairs int     `json:"pairs"`
	// SpreadOfSlices is the standard deviation of single slices, in percent of
	// their mean: what comparing one run with another one has to reckon with.
	SpreadOfSlices float64      `json:"spread_of_slices_percent"`
	Detectable     []Detectable `json:"detectable"`
}

// Detectable is the smallest effect that so many pairs find in four of five
// comparisons.
type Detectable struct {
	Pairs  int     `json:"pairs"`
	Change float64 `json:"change_percent"`
}
