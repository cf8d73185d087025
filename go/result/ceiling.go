package result

// Ceiling is what the same settings come to on NOPs: a short run before the
// real one, with everything but the I/O itself. It is null in a Result when it
// was not asked for, or when the run is one of NOPs.
type Ceiling struct {
	IOPS      OptFloat `json:"iops"`      // successful NOPs per second; null when not measured, see Reason
	WindowNS  OptInt   `json:"window_ns"` // that they were counted in
	Completed OptInt   `json:"completed"`
	// Fraction is Summary.IOPSMean / IOPS; null when one of them is missing.
	Fraction OptFloat `json:"fraction"`
	// NotKept are the settings of the run that NOPs could not have.
	NotKept []string `json:"not_kept,omitempty"`
	Reason  string   `json:"reason,omitempty"` // why there is none
}
