package metric

import "testing"

func TestPercent(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0.00%", 0.00001: "0.00%", -0.00001: "0.00%", 0.012: "+0.012%", -0.983: "-0.98%", 0.996: "+1.0%", 1.23: "+1.2%",
		-79.8: "-79.8%", 395.4: "+395%", 99.51: "+100%",
	} {
		if got := SignedPercent(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
}
