package affinity

import (
	"fmt"
	"testing"
)

func TestAssign(t *testing.T) {
	for _, c := range []struct {
		threads, targets int
		want             string
	}{
		{1, 1, "[[0]]"},
		{2, 2, "[[0] [1]]"},
		{5, 2, "[[0] [0] [0] [1] [1]]"},
		{4, 2, "[[0] [0] [1] [1]]"},
		{7, 3, "[[0] [0] [0] [1] [1] [2] [2]]"},
		{1, 3, "[[0 1 2]]"},
		{2, 5, "[[0 2 4] [1 3]]"},
		{3, 0, "[[] [] []]"},
		{0, 3, "[]"},
		{-1, 1, "[]"},
		{1, 20, "[[0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19]]"},
	} {
		if got := fmt.Sprint(Assign(c.threads, c.targets)); got != c.want {
			t.Errorf("Assign(%d, %d) = %s, want %s", c.threads, c.targets, got, c.want)
		}
	}
}

// TestAssignIsFair holds for every pair: each target is read, each thread
// reads, no pairing occurs twice, and loads differ by one at most.
func TestAssignIsFair(t *testing.T) {
	for threads := 1; threads <= 40; threads++ {
		for targets := 1; targets <= 40; targets++ {
			got := Assign(threads, targets)
			if len(got) != threads {
				t.Fatalf("Assign(%d, %d): %d threads", threads, targets, len(got))
			}
			readers := make([]int, targets)
			reads := make([]int, threads)
			for th, ts := range got {
				seen := map[int]bool{}
				for _, tg := range ts {
					if tg < 0 || tg >= targets || seen[tg] {
						t.Fatalf("Assign(%d, %d): thread %d reads %v", threads, targets, th, ts)
					}
					seen[tg] = true
					readers[tg]++
					reads[th]++
				}
			}
			for what, n := range map[string][]int{"readers of a target": readers, "targets of a thread": reads} {
				least, most := n[0], n[0]
				for _, v := range n {
					least, most = min(least, v), max(most, v)
				}
				if least < 1 || most-least > 1 {
					t.Fatalf("Assign(%d, %d): %s from %d to %d", threads, targets, what, least, most)
				}
			}
		}
	}
}
