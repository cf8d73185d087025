package report

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// checkMetrics is a strict reader of the text format of OpenMetrics 1.0, for
// the types that the text format 0.0.4 of Prometheus has too, and of what the
// latter asks beyond it. It returns all that is wrong.
func checkMetrics(text string) (wrong []string) {
	c := &metricsChecker{families: map[string]bool{}, samples: map[string]bool{}}
	body, ok := strings.CutSuffix(text, "# EOF\n")
	if !ok {
		c.bad("the last line is not # EOF")
	}
	if strings.Contains(body, "# EOF") {
		c.bad("# EOF is not the last line")
	}
	for line := range strings.Lines(body) {
		c.at++
		line, ended := strings.CutSuffix(line, "\n")
		if !ended || line == "" || strings.TrimSpace(line) != line || strings.ContainsAny(line, "\r\t") {
			c.bad("blank, blanks at an end, or no end")
		}
		if strings.HasPrefix(line, "#") {
			c.meta(line)
		} else {
			c.sample(line)
		}
	}
	c.end()
	return c.wrong
}

type metricsChecker struct {
	at       int // line
	wrong    []string
	families map[string]bool // all names of samples that families claim
	samples  map[string]bool // name and labels

	name, typ, unit string
	help            bool
	buckets         []bucket
	sum, count      float64
	hasSum, hasAny  bool
}

type bucket struct{ le, n float64 }

func (c *metricsChecker) bad(format string, args ...any) {
	c.wrong = append(c.wrong, fmt.Sprintf("line %d: ", c.at)+fmt.Sprintf(format, args...))
}

var (
	metaLine   = regexp.MustCompile(`^# (HELP|TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"`)
	escaped    = regexp.MustCompile(`^(?:[^\\]|\\[\\n])*$`)
)

// meta reads # HELP, # TYPE and # UNIT, in that order at the head of a family.
func (c *metricsChecker) meta(line string) {
	m := metaLine.FindStringSubmatch(line)
	if m == nil {
		c.bad("no comments but HELP, TYPE and UNIT: %q", line)
		return
	}
	switch kind, name, text := m[1], m[2], m[3]; kind {
	case "HELP":
		c.end()
		c.name, c.help = name, true
		if !escaped.MatchString(text) {
			c.bad("a help that is not escaped: %q", text)
		}
		c.claim(name)
	case "TYPE":
		if c.name != name || !c.help || c.typ != "" || c.hasAny {
			c.bad("TYPE is not behind HELP of %s", name)
		}
		if text != "counter" && text != "gauge" && text != "histogram" {
			c.bad("type %q is not in both formats", text)
		}
		c.typ = text
		switch text {
		case "counter":
			c.claim(name + "_total")
			c.claim(name + "_created")
		case "histogram":
			for _, s := range []string{"_bucket", "_count", "_sum", "_created"} {
				c.claim(name + s)
			}
		}
		if text == "counter" && strings.HasSuffix(name, "_total") {
			c.bad("the family of a counter does not end with _total: %s", name)
		}
	case "UNIT":
		if c.name != name || c.typ == "" || c.hasAny {
			c.bad("UNIT is not behind TYPE of %s", name)
		}
		if !strings.HasSuffix(name, "_"+text) {
			c.bad("%s does not end with its unit %s", name, text)
		}
		c.unit = text
	}
}

func (c *metricsChecker) claim(name string) {
	if c.families[name] {
		c.bad("%s is claimed twice", name)
	}
	c.families[name] = true
}

func (c *metricsChecker) sample(line string) {
	m := sampleLine.FindStringSubmatch(line)
	if m == nil {
		c.bad("no sample: %q", line)
		return
	}
	name, value := m[1], number(m[3])
	if math.IsNaN(value) {
		c.bad("no number: %q", m[3])
	}
	labels, le := c.labels(m[2])
	key := name + fmt.Sprint(labels)
	if c.samples[key] {
		c.bad("%s is there twice", key)
	}
	c.samples[key], c.hasAny = true, true
	suffix, of := strings.CutPrefix(name, c.name)
	switch {
	case !of || c.typ == "":
		c.bad("%s is not of family %s", name, c.name)
	case c.typ == "gauge" && suffix == "":
	case c.typ == "counter" && suffix == "_total":
		if value < 0 {
			c.bad("a counter below 0")
		}
	case c.typ == "histogram":
		c.histogram(suffix, value, le)
	default:
		c.bad("a %s has no sample %s", c.typ, name)
	}
}

func number(s string) float64 {
	if s == "+Inf" {
		return math.Inf(1)
	}
	if !regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?$`).MatchString(s) {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func (c *metricsChecker) labels(text string) (list []string, le string) {
	seen := map[string]bool{}
	for text != "" {
		m := labelPair.FindStringSubmatch(text)
		if m == nil {
			c.bad("no label: %q", text)
			return list, le
		}
		if seen[m[1]] || strings.HasPrefix(m[1], "__") {
			c.bad("label %s", m[1])
		}
		seen[m[1]] = true
		list = append(list, m[0])
		if m[1] == "le" {
			le = m[2]
		}
		rest, more := strings.CutPrefix(text[len(m[0]):], ",")
		if !more && rest != "" || more && rest == "" {
			c.bad("between labels: %q", rest)
			return list, le
		}
		text = rest
	}
	return list, le
}

func (c *metricsChecker) histogram(suffix string, value float64, le string) {
	switch suffix {
	case "_bucket":
		b := bucket{number(le), value}
		if n := len(c.buckets); n > 0 && (b.le <= c.buckets[n-1].le || b.n < c.buckets[n-1].n) || math.IsNaN(b.le) {
			c.bad("bucket %q does not follow the one before", le)
		}
		c.buckets = append(c.buckets, b)
	case "_count":
		c.count = value
	case "_sum":
		c.sum, c.hasSum = value, true
	default:
		c.bad("a histogram has no sample %s", suffix)
	}
}

// end closes a family.
func (c *metricsChecker) end() {
	if c.name != "" && c.typ == "" {
		c.bad("%s has no type", c.name)
	}
	if n := len(c.buckets); c.typ == "histogram" {
		switch {
		case n == 0 || !math.IsInf(c.buckets[n-1].le, 1):
			c.bad("%s has no bucket +Inf", c.name)
		case c.buckets[n-1].n != c.count:
			c.bad("%s: +Inf has %v, the count is %v", c.name, c.buckets[n-1].n, c.count)
		case !c.hasSum || c.sum < 0:
			c.bad("%s: no sum", c.name)
		}
	}
	c.name, c.typ, c.unit, c.help, c.hasAny = "", "", "", false, false
	c.buckets, c.sum, c.count, c.hasSum = nil, 0, 0, false
}
