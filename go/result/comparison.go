package result

// ComparisonSchemaVersion names the layout of a Comparison, by the rules of
// SchemaVersion.
const ComparisonSchemaVersion = "ringpeak.comparison/1"

// Comparison is what two groups of saved runs come to, side by side: the
// document of ringpeak compare.
type Comparison struct {
	Schema  string   `json:"schema"`
	Tool    Tool     `json:"tool"`    // the program that compared; those that measured are in Differences where they differ
	Command []string `json:"command"` // argv

	Old ComparedSide `json:"old"`
	New ComparedSide `json:"new"`

	Forced      bool         `json:"forced"`      // the sides did different work, and that was asked for
	Differences []Difference `json:"differences"` // between the sides, and within one of them
	// OnlyOld and OnlyNew are paths of what the documents of one side alone
	// tell, as those of an older tool do not.
	OnlyOld  []string `json:"recorded_in_old_only"`
	OnlyNew  []string `json:"recorded_in_new_only"`
	Warnings []Note   `json:"warnings"` // reasons not to believe the figures
	Notes    []Note   `json:"notes"`

	Rows       []ComparedRow       `json:"configurations"`
	Geomeans   []Geomean           `json:"geometric_means"` // with two configurations or more on both sides
	Conditions []ComparedCondition `json:"conditions"`
}

// ComparedSide is one of the two groups.
type ComparedSide struct {
	Documents []ComparedDocument `json:"documents"`
	Samples   int                `json:"samples"` // runs, or complete repeats of them
}

// ComparedDocument is one that was read.
type ComparedDocument struct {
	Path    string   `json:"path"`
	Started string   `json:"started"` // RFC 3339, UTC
	Command []string `json:"command"`
	Samples int      `json:"samples"`
}

// Groups of differences.
const (
	DiffersInSettings = "settings"
	DiffersInGranted  = "granted" // what the kernel gave, and where submitters ran
	DiffersInKernel   = "kernel"
	DiffersInMachine  = "machine"
	DiffersInTargets  = "targets"
	DiffersInTool     = "tool"
)

// Difference is one field of documents that is not the same in all of them.
// Documents that do not tell are left out of it.
type Difference struct {
	Group string `json:"group"`
	Path  string `json:"path"`  // of the field; * is every element of a list
	Title string `json:"title"` // for people
	// Old and New are the values that the documents of a side have, each once,
	// as text. More than one means that the side itself is not of one piece.
	Old []string `json:"old"`
	New []string `json:"new"`
	// Between says that the sides have different values.
	Between bool `json:"between_sides"`
	// OtherWork says that the sides cannot be compared without force for it.
	OtherWork bool `json:"other_work,omitempty"`
	// Rows are the configurations in which it is so; empty for all of them.
	Rows []string `json:"configurations,omitempty"`
}

// ComparedRow is one configuration: the settings that vary within a side, and
// the values that they have here.
type ComparedRow struct {
	Name     string            `json:"configuration"` // as options; empty when nothing varies
	Settings map[string]string `json:"settings"`      // by path
	Old      int               `json:"old_samples"`   // 0: the side does not have it
	New      int               `json:"new_samples"`
	Figures  []ComparedFigure  `json:"figures"` // empty unless both sides have it
}

// ComparedFigure is one metric of a configuration. Medians and values are in
// Unit, changes are of new over old.
type ComparedFigure struct {
	Metric string `json:"metric"`
	Title  string `json:"title"`
	Unit   string `json:"unit"`
	Better string `json:"better"` // "higher" or "lower"

	Old MedianOf `json:"old"`
	New MedianOf `json:"new"`

	// Change is the median of the ratios of each new value to each old one
	// (Hodges and Lehmann), less one. Null when one side has no values.
	Change     OptFloat `json:"change_percent"`
	ChangeLow  OptFloat `json:"change_low_percent"`  // of its 95 % interval; null with too few values
	ChangeHigh OptFloat `json:"change_high_percent"` // likewise
	P          OptFloat `json:"p"`                   // of Mann and Whitney's test
	// Verdict is VerdictBetter or VerdictWorse when p is at most 0.05 and the
	// interval leaves out 0, VerdictSame when it is not so, VerdictFew when
	// there are too few values to say anything, and VerdictSome when runs of a
	// side lack the figure, or have a zero: those that have it are no fair
	// sample, so there is neither an interval nor a test.
	Verdict string `json:"verdict"`
}

// The verdicts on a figure.
const (
	VerdictBetter = "better"
	VerdictWorse  = "worse"
	VerdictSame   = "no significant change"
	VerdictFew    = "too few values"
	VerdictSome   = "not in all runs"
)

// MedianOf is the median of one side's values.
type MedianOf struct {
	Values []float64 `json:"values"`      // in the order of the documents
	Median OptFloat  `json:"median"`      // null without values
	Low    OptFloat  `json:"median_low"`  // of its 95 % interval; null with fewer than six values
	High   OptFloat  `json:"median_high"` // likewise
}

// Geomean is the geometric mean of the changes of one metric.
type Geomean struct {
	Metric string  `json:"metric"`
	Change float64 `json:"change_percent"`
	Rows   int     `json:"configurations"` // that it is taken over
}

// ComparedCondition is one condition of --fail-if and what became of it. It
// fires where the whole interval of the change lies beyond the limit.
type ComparedCondition struct {
	Text     string  `json:"text"` // as it was given
	Metric   string  `json:"metric"`
	Operator string  `json:"operator"`
	Limit    float64 `json:"limit_percent"`

	Fired   []string `json:"fired_in"`   // configurations
	Untried []string `json:"untried_in"` // those without an interval to hold it against
	// Outcome is what was found, in words; empty when it was held against
	// everything and did not fire.
	Outcome string `json:"outcome,omitempty"`
}
