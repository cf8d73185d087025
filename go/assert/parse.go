package assert

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringpeak/go/result"
	"ringpeak/go/spelling"
)

// operators in the order of the messages.
const operators = ">=, >, <=, <, == or !="

// Assertion is one condition.
type Assertion struct {
	text   string
	metric metric
	op     string
	raw    string // the value as it was typed
	number number
}

// ParseAll reads the conditions of a spec, and refuses those that no run of it
// can be held against, and those on a check that is none of checks, the codes of
// all there are. Its errors are *result.Error with status 2.
func ParseAll(s *result.Spec, checks []string) ([]Assertion, error) {
	var list []Assertion
	for _, text := range s.Assertions {
		a, err := Parse(text)
		if err != nil {
			return nil, err
		}
		if needs := a.metric.needs(s); needs != "" {
			return nil, result.Errorf(result.StatusUsage, "--assert %q: %s %s", text, a.metric.name, needs)
		}
		if code, ok := strings.CutPrefix(a.metric.name, checkPrefix); ok && !slices.Contains(checks, code) {
			return nil, result.Errorf(result.StatusUsage, "--assert %q: there is no check %q: %sthere are %s",
				text, code, meant(code, checks), strings.Join(checks, ", "))
		}
		list = append(list, a)
	}
	return list, nil
}

// Parse reads one condition. Blanks around its three parts do not matter.
func Parse(text string) (Assertion, error) {
	p := parser{text: text}
	a := Assertion{text: text}
	var err error
	if a.metric, err = p.metric(); err != nil {
		return Assertion{}, err
	}
	if a.op, err = p.operator(&a.metric); err != nil {
		return Assertion{}, err
	}
	if a.raw, a.number, err = p.value(&a.metric.kind); err != nil {
		return Assertion{}, err
	}
	return a, nil
}

// String is the condition in its plain form.
func (a *Assertion) String() string { return a.metric.name + a.op + a.raw }

// parser reads text from left to right.
type parser struct {
	text string
	at   int
}

// fail is an error at a place: the character, counted from 1. Whatever comes
// before an error was understood, and that is ASCII.
func (p *parser) fail(at int, format string, args ...any) error {
	return result.Errorf(result.StatusUsage, "--assert %q, character %d: %s",
		p.text, at+1, fmt.Sprintf(format, args...))
}

// word takes what is made of is-characters, after blanks.
func (p *parser) word(is func(rune) bool) (at int, word string) {
	for p.at < len(p.text) && strings.ContainsRune(" \t", rune(p.text[p.at])) {
		p.at++
	}
	at = p.at
	rest := p.text[at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return !is(r) })
	if n < 0 {
		n = len(rest)
	}
	p.at += n
	return at, rest[:n]
}

func isOperator(r rune) bool { return strings.ContainsRune("<>=!~", r) }

func (p *parser) metric() (metric, error) {
	at, name := p.word(func(r rune) bool { return !isOperator(r) && r != ' ' && r != '\t' })
	if name == "" {
		return metric{}, p.fail(at, "a metric is missing: write METRIC OPERATOR VALUE, as in iops>=5M")
	}
	if code, ok := strings.CutPrefix(name, checkPrefix); ok {
		if code == "" || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return metric{}, p.fail(at, "%q is not a check: write %s and its code, as in check:polled==pass", name, checkPrefix)
		}
		return check(code), nil
	}
	if digits, ok := strings.CutPrefix(name, "p"); ok && digits != "" && strings.Trim(digits, "0123456789.") == "" {
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(v > 0 && v <= 100) {
			return metric{}, p.fail(at, "%q is not a percentile: write p and a number above 0 and up to 100, as in p99.9<=1ms", name)
		}
		return percentile(name, v), nil
	}
	for _, m := range metrics() {
		if m.name == name {
			return m, nil
		}
	}
	known := Metrics()
	return metric{}, p.fail(at, "there is no metric %q: %sthere are %s, any percentile (p50, p99.9) and the state of any check (check:polled)", name, meant(name, known), strings.Join(known, ", "))
}

// meant is a question after the word that was likely meant, or nothing.
func meant(name string, known []string) string {
	if near := spelling.Nearest(strings.ToLower(name), known); near != "" {
		return "did you mean " + near + "? "
	}
	return ""
}

func (p *parser) operator(m *metric) (string, error) {
	at, op := p.word(isOperator)
	switch op {
	case ">=", "<=", ">", "<":
		if m.kind.unit == state.unit {
			return "", p.fail(at, "%q does not apply to a check: write == or !=", op)
		}
		return op, nil
	case "==", "!=":
		return op, nil
	case "":
		return "", p.fail(at, "an operator is missing after %s: write %s", m.name, operators)
	case "=":
		return "", p.fail(at, "%q is not an operator: did you mean ==? there are %s", op, operators)
	case "=>", "=<":
		return "", p.fail(at, "%q is not an operator: did you mean %c=? there are %s", op, op[1], operators)
	}
	return "", p.fail(at, "%q is not an operator: there are %s", op, operators)
}

func (p *parser) value(k *kind) (string, number, error) {
	at, rest := p.word(func(rune) bool { return true })
	raw := strings.TrimSpace(rest)
	if k.unit == state.unit {
		if !isState(raw) {
			return "", number{}, p.fail(at, "%q is not %s", raw, k.wants)
		}
		return raw, number{}, nil
	}
	n, ok := k.parse(raw)
	if !ok {
		return "", number{}, p.fail(at, "%q is not %s", raw, k.wants)
	}
	return raw, n, nil
}
