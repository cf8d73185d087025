package machine

import (
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// maxCurrent is how many CPUs of a group are asked for their present
// frequency, since asking takes 20 ms each on some kernels.
const maxCurrent = 8

// setting is what the CPUs of one group have in common.
type setting struct {
	driver, governor, preference string
	min, max, limit              int64 // kHz; 0 is unknown
}

// frequencies puts allowed CPUs with the same settings together, in the order
// of their first ones.
func frequencies(tree sysfs.Tree) []result.Frequency {
	var order []setting
	groups := map[setting][]int{}
	for _, f := range tree.Frequencies(tree.AllowedCPUs().Value) {
		s := setting{
			f.Driver.Value, f.Governor.Value, f.Preference.Value,
			f.MinKHz.Value, f.MaxKHz.Value, f.LimitKHz.Value,
		}
		if s == (setting{}) {
			continue
		}
		if groups[s] == nil {
			order = append(order, s)
		}
		groups[s] = append(groups[s], f.CPU)
	}
	var out []result.Frequency
	for _, s := range order {
		cpus := groups[s]
		least, most := current(tree, cpus[:min(len(cpus), maxCurrent)])
		out = append(out, result.Frequency{
			CPUs:          sysfs.FormatCPUList(cpus),
			Driver:        s.driver,
			Governor:      s.governor,
			Preference:    s.preference,
			MinKHz:        known(s.min),
			MaxKHz:        known(s.max),
			LimitKHz:      known(s.limit),
			CurrentMinKHz: least,
			CurrentMaxKHz: most,
		})
	}
	return out
}

// current is the slowest and the fastest of some CPUs.
func current(tree sysfs.Tree, cpus []int) (least, most result.OptInt) {
	for _, cpu := range cpus {
		khz := tree.CurrentKHz(cpu).Ptr()
		if khz == nil {
			continue
		}
		if least == nil || *khz < *least {
			least = khz
		}
		if most == nil || *khz > *most {
			most = khz
		}
	}
	return least, most
}

// known is nil for 0, which no frequency is.
func known(khz int64) result.OptInt {
	if khz == 0 {
		return nil
	}
	return &khz
}
