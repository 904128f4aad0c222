package pacing_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/internal/repair/pacing"
)

// BenchmarkStorm is a look at 10,000 machines of 20 owners in 3 failure domains that are all due, after 1,000 repairs.
func BenchmarkStorm(b *testing.B) {
	var due []pacing.Candidate
	for i := range 10_000 {
		due = append(due, candidate(types.UID(fmt.Sprint("m", i)), fmt.Sprint("o", i%20), fmt.Sprint("z", i%3)))
	}
	var repairs []pacing.Repair
	for i := range 1_000 {
		r := repair(types.UID(fmt.Sprint("r", i)), 100*minute, 5*minute, proven)
		r.Domains = []string{fmt.Sprint("o", i%20), fmt.Sprint("z", i%3)}
		repairs = append(repairs, r)
	}
	b.ReportAllocs()
	for b.Loop() {
		if eligible, _ := pacing.Of(repairs, now).Order(due); len(eligible) < 100 {
			b.Fatal(len(eligible))
		}
	}
}
