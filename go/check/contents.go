package check

import (
	"strings"

	"ringpeak/go/result"
)

// noMedium is the share of a range that may be without data before it matters.
const noMedium = 0.001

// written looks for what no medium serves: holes and never-written extents of
// files, blocks that an NVMe namespace does not count as used. Nil when no
// target is of a kind that could tell.
func written(e *Evidence) *result.Check {
	var out []finding
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		if memory(e, t) != "" {
			continue
		}
		c := contents(e, i)
		switch {
		case t.Kind == result.KindFile:
			out = append(out, writtenFile(t, c))
		case isNamespace(t):
			out = append(out, writtenNamespace(t, c))
		}
	}
	return worst(CodeWritten, out)
}

// isNamespace says whether a target is an NVMe namespace, on PCI Express or over
// a fabric (nvme-tcp).
func isNamespace(t *result.Target) bool {
	return t.Kind == result.KindGeneric || t.Kind == result.KindBlock && strings.HasPrefix(t.Driver, "nvme")
}

func contents(e *Evidence, target int) Contents {
	if target < len(e.Contents) {
		return e.Contents[target]
	}
	return Contents{}
}

func writtenFile(t *result.Target, c Contents) finding {
	const advice = "fill the file first, with data that cannot be compressed"
	switch x := c.Extents; {
	case x != nil && x.Bytes > 0:
		empty := x.Hole + x.Unwritten
		if float64(empty) > noMedium*float64(x.Bytes) {
			return found(result.CheckWarn, advice, "%s: %s of what is read is on no medium (%s in holes, %s never written)",
				t.Path, percent(float64(empty), float64(x.Bytes)), size(x.Hole), size(x.Unwritten))
		}
		return found(result.CheckPass, "", "%s: all of its %s were written", t.Path, size(x.Bytes))
	case t.HoleBytes != nil && *t.HoleBytes > 0 && t.SizeBytes > 0:
		return found(result.CheckWarn, advice, "%s: %s of it are holes or were never written", t.Path, percent(float64(*t.HoleBytes), float64(t.SizeBytes)))
	}
	why := "the run did not end well, so it was not looked at"
	if c.ExtentsErr != nil {
		why = c.ExtentsErr.Error()
	}
	return found(result.CheckUnknown, "look with filefrag -v", "%s: whether all of it was written is not known: %s", t.Path, oneLine(why))
}

func writtenNamespace(t *result.Target, c Contents) finding {
	if c.Used == nil || c.Size == nil || *c.Size <= 0 {
		return found(result.CheckUnknown, "look at nuse in nvme id-ns", "%s: how much of it was written is not known (Linux 6.8 tells, or passthrough)", t.Path)
	}
	empty := *c.Size - *c.Used
	if float64(empty) > noMedium*float64(*c.Size) {
		return found(result.CheckWarn, "write the whole namespace first",
			"%s: %s of its blocks are not in use (NUSE %d of NSZE %d), and drives answer reads of these without their medium",
			t.Path, percent(float64(empty), float64(*c.Size)), *c.Used, *c.Size)
	}
	return found(result.CheckPass, "", "%s: counts all of its %d blocks as used, as drives without thin provisioning always do", t.Path, *c.Size)
}

// Thresholds of sameData.
const (
	fewSamples = 8   // too few to call contents alike
	zeroShare  = 0.1 // of the samples
	sameShare  = 4   // at most one different content for so many samples
)

// sameData looks at what some reads after the window returned: where all are
// alike, or zeros, something may have answered without reading.
func sameData(e *Evidence) *result.Check {
	var out []finding
	for i := range e.Result.Targets {
		t := &e.Result.Targets[i]
		if memory(e, t) != "" {
			continue
		}
		out = append(out, sameDataOf(t, contents(e, i)))
	}
	return worst(CodeSameData, out)
}

func sameDataOf(t *result.Target, c Contents) finding {
	const advice = "fill it first, with data that cannot be compressed"
	s := c.Samples
	switch {
	case s == nil && c.SamplesErr != nil:
		return found(result.CheckUnknown, "look at the data yourself", "%s: no block could be looked at: %s", t.Path, oneLine(c.SamplesErr.Error()))
	case s == nil:
		return found(result.CheckUnknown, "see why the run ended", "%s: the run did not end well, so no block was looked at", t.Path)
	case s.Blocks < fewSamples && s.Distinct < 2:
		return found(result.CheckUnknown, "read a larger target", "%s: only %d blocks could be looked at", t.Path, s.Blocks)
	case s.Zeros == s.Blocks:
		return found(result.CheckWarn, advice, "%s: all %d blocks that were looked at hold only zeros, which may come from no medium", t.Path, s.Blocks)
	case s.Distinct == 1:
		return found(result.CheckWarn, advice, "%s: all %d blocks that were looked at hold the same data", t.Path, s.Blocks)
	case float64(s.Zeros) >= zeroShare*float64(s.Blocks):
		return found(result.CheckWarn, advice, "%s: %d of %d blocks that were looked at hold only zeros, which may come from no medium", t.Path, s.Zeros, s.Blocks)
	case s.Blocks >= fewSamples && s.Distinct*sameShare <= s.Blocks:
		return found(result.CheckWarn, advice, "%s: %d blocks that were looked at hold only %d different contents", t.Path, s.Blocks, s.Distinct)
	}
	return found(result.CheckPass, "", "%s: %d blocks that were looked at hold %d different contents", t.Path, s.Blocks, s.Distinct)
}

func oneLine(s string) string {
	out := []rune(s)
	for i, c := range out {
		if c == '\n' {
			out[i] = ' '
		}
	}
	return string(out)
}
