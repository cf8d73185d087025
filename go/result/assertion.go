package result

// Assertion is one condition of --assert and what became of it. Value and
// Wanted are in Unit: "per_second", "bytes_per_second", "ns", "count" or
// "fraction"; of a check's state, whose Unit is "state", the two are null.
type Assertion struct {
	Text     string `json:"text"` // as it was given
	Metric   string `json:"metric"`
	Operator string `json:"operator"`
	Unit     string `json:"unit"`

	Value  OptFloat `json:"value"` // null when it was not measured; that never passes
	Wanted OptFloat `json:"wanted"`

	State       CheckState `json:"state,omitempty"` // of a check that there is
	WantedState CheckState `json:"wanted_state,omitempty"`

	Passed  bool   `json:"passed"`
	Outcome string `json:"outcome"` // what was and what was wanted, in words
}
