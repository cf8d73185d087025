package device

import (
	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// Interrupts is a reading of how often the queues of devices have interrupted.
// Two of them, around a run, tell whether polled means polled.
type Interrupts struct{ in *sysfs.Interrupts }

// ReadInterrupts reads /proc/interrupts below root ("" is the running
// system's). The error is for a list that cannot be read.
func ReadInterrupts(root string) (*Interrupts, error) {
	in, err := sysfs.At(root).Interrupts()
	if err != nil {
		return nil, err
	}
	return &Interrupts{in}, nil
}

// Since counts the interrupts of the I/O queues below a target since an
// earlier reading, those of everybody's I/O. It is nil when the target's
// driver has no interrupts that can be told by name. Namespaces of one
// controller share its queues, so do not add up their counts: PerDevice does.
func (after *Interrupts) Since(before *Interrupts, t *result.Target) result.OptInt {
	return after.sum(before, t.IRQOwners)
}

// PerDevice does the same for several targets, counting each device once.
func (after *Interrupts) PerDevice(before *Interrupts, ts []result.Target) map[string]int64 {
	out := map[string]int64{}
	for i := range ts {
		for _, owner := range ts[i].IRQOwners {
			if n := after.sum(before, []string{owner}); n != nil {
				out[owner] = *n
			}
		}
	}
	return out
}

func (after *Interrupts) sum(before *Interrupts, owners []string) result.OptInt {
	var total int64
	known := false
	for _, owner := range owners {
		n, _ := after.in.Since(before.in, owner)
		total += int64(n)
		if _, ok := after.in.Queues(owner); !ok {
			return nil
		}
		known = true
	}
	if !known {
		return nil
	}
	return &total
}
