package ab

import "math/rand/v2"

// order decides who is measured when. Pairs come in blocks of as many as there
// are arms. In a block, each arm is once in each place, in an order drawn anew:
// of two arms ab and ba, or ba and ab. So what being first does, and a machine
// that becomes slower and slower, falls upon all alike, and no rhythm of the
// machine's can keep step with it.
type order struct {
	arms  int
	r     *rand.Rand
	block [][]int // the rest of the present one
}

func newOrder(arms int, seed uint64) *order {
	return &order{arms: arms, r: rand.New(rand.NewPCG(seed, 0x6162))}
}

// next is the order of the next pair, and the seed of its offsets.
func (o *order) next() (arms []int, seed uint64) {
	if len(o.block) == 0 {
		first := o.r.Perm(o.arms)
		for shift := range o.arms {
			row := make([]int, o.arms)
			for i := range row {
				row[i] = first[(i+shift)%o.arms]
			}
			o.block = append(o.block, row)
		}
		o.r.Shuffle(len(o.block), func(i, j int) { o.block[i], o.block[j] = o.block[j], o.block[i] })
	}
	arms, o.block = o.block[0], o.block[1:]
	return arms, uint64(o.r.Uint32())
}

// balanced says whether a block is complete.
func (o *order) balanced() bool { return len(o.block) == 0 }
