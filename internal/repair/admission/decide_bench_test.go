package admission

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// Sinks keep the compiler from optimizing a measured call away.
var (
	decisionSink Decision
	intSink      int
)

// fleet is as many Machines as a MachineHealthCheck may have, every nth of which is sick; none if n is 0.
func fleet(n int) []Target {
	all := make([]Target, 10_000)
	for i := range all {
		name := fmt.Sprintf("m-%05d", i)
		all[i] = healthy(name)
		if n > 0 && i%n == 0 {
			all[i] = sick(name, build.Verdict(metav1.ConditionFalse, ago(time.Duration(i)*time.Second)))
		}
	}
	return all
}

// TestDecideOnHealthyAllocatesNothing, however many Machines there are.
func TestDecideOnHealthyAllocatesNothing(t *testing.T) {
	f := facts(check(), fleet(0)[:1000]...)
	expect.NoAllocation(t, func() { decisionSink = Decide(f, now) })
}

func BenchmarkDecide10000(b *testing.B) {
	for name, f := range map[string]Facts{
		"healthy":           facts(check(), fleet(0)...),
		"storm":             facts(check(), fleet(10)...),
		"storm in a budget": facts(check(maxInFlight("20")), fleet(10)...),
		"too many":          facts(check(build.TriggerIfAtMost(intstr.FromString("5%"))), fleet(10)...),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				decisionSink = Decide(f, now)
			}
		})
	}
}

// BenchmarkDecideWithHistory: a thousand are sick, one may be repaired at once, and of each ten records are kept.
func BenchmarkDecideWithHistory(b *testing.B) {
	var all []Target
	var past []*v1alpha1.MachineRemediation
	for i := range 1000 {
		name := fmt.Sprintf("m-%04d", i)
		all = append(all, sick(name))
		for range 10 {
			past = append(past, recordOf(name, ended))
		}
	}
	f := planned(plan(func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) }), all...).remembers(past...)
	b.ReportAllocs()
	for b.Loop() {
		decisionSink = Decide(f, now)
	}
}

func BenchmarkCount10000(b *testing.B) {
	all := fleet(10)
	b.ReportAllocs()
	for b.Loop() {
		intSink = count(all).Healthy
	}
}

func BenchmarkBudget(b *testing.B) {
	limit := intstr.FromString("20%")
	b.ReportAllocs()
	for b.Loop() {
		intSink = budget(&limit, 10_000)
	}
}
