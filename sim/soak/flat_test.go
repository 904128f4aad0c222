package soak

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sampled returns a sample for every ten seconds of half an hour; value gets the elapsed share of the time.
func sampled(value func(part float64) float64) []Sample {
	const duration, every = 30 * time.Minute, 10 * time.Second
	var samples []Sample
	for at := every; at < duration; at += every {
		v := value(float64(at) / float64(duration))
		samples = append(samples, Sample{At: at, Goroutines: v})
	}
	return samples
}

func TestOnlyWhatGrowsBetweenQuartersIsReported(t *testing.T) {
	limits := []Limit{{Name: "goroutines", Of: func(s Sample) float64 { return s.Goroutines }, Share: 0.1, Beyond: 20, Unit: 1}}
	constant := func(float64) float64 { return 1000 }
	for name, tc := range map[string]struct {
		samples     []Sample
		first, last float64
		want        []string
	}{
		"flat":   {samples: sampled(constant), first: 1000, last: 1000},
		"warmed": {samples: sampled(func(part float64) float64 { return min(1000, 10000*part) }), first: 1000, last: 1000},
		"as much as is allowed": {
			samples: sampled(func(part float64) float64 {
				if part < 0.5 {
					return 1000
				}
				return 1120
			}),
			first: 1000, last: 1120,
		},
		"less and less": {samples: sampled(func(part float64) float64 { return 2000 - 1000*part }), first: 1627.8, last: 1127.8},
		"a leak": {
			samples: sampled(func(part float64) float64 { return 1000 + 400*part }), first: 1148.9, last: 1348.9,
			want: []string{"The median of goroutines grew from 1148.9 in the second quarter to 1348.9 in the last; at most 1283.8 is flat."},
		},
		"storms, and flat between": {
			samples: sampled(func(part float64) float64 {
				if int(part*1000)%5 == 0 && part > 0.7 {
					return 9000
				}
				return 1000
			}),
			first: 1000, last: 1000,
		},
		"too few": {
			samples: sampled(constant)[:91],
			want:    []string{"Nothing can be said about growth: there are 45 samples of the second quarter and 0 of the last."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			trends, violations := Trends(tc.samples, 30*time.Minute, limits)
			if diff := cmp.Diff(tc.want, violations); diff != "" {
				t.Error(diff)
			}
			if tc.first == 0 {
				return
			}
			got := []float64{trends[0].First, trends[0].Last}
			if diff := cmp.Diff([]float64{tc.first, tc.last}, got, cmpopts.EquateApprox(0, 0.1)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEachLimitMeasuresWhatItsNameSays(t *testing.T) {
	sample := Sample{Goroutines: 1, Resident: 2, Live: 3, Depth: 4}
	want := map[string]float64{"goroutines": 1, "resident memory (MiB)": 2, "live heap (MiB)": 3, "depth of the work queues": 4}
	got := map[string]float64{}
	for _, limit := range DefaultLimits() {
		got[limit.Name] = limit.Of(sample)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
