package verdict

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// These keep the compiler from optimizing a measured call away.
var (
	sink      healthcheck.Result
	rulesSink mhcspec.Rules
)

// TestDecideAllocatesNothing: judging a Machine allocates nothing if nothing is wrong with it, or
// not yet. Most judgements are like that.
func TestDecideAllocatesNothing(t *testing.T) {
	for name, f := range map[string]Facts{
		"healthy":       facts(),
		"control plane": facts(machine(build.ControlPlane())),
		"many rules":    facts(manyRules),
		"pending":       facts(notReady(ago(time.Minute))),
		"grace":         facts(wasHealthy, lost(now)),
	} {
		t.Run(name, func(t *testing.T) {
			expect.NoAllocation(t, func() { sink = Decide(f, now) })
		})
	}
}

// TestRulesAllocateTheirLists: RulesOf allocates one list for each kind of condition, and nothing
// without conditions.
func TestRulesAllocateTheirLists(t *testing.T) {
	bare, full := build.MachineHealthCheck("ns", "mhc"), checkWithManyRules()
	expect.NoAllocation(t, func() { rulesSink = mhcspec.RulesOf(bare) })
	if n := testing.AllocsPerRun(100, func() { rulesSink = mhcspec.RulesOf(full) }); n > 2 {
		t.Errorf("RulesOf allocates %v times for two lists", n)
	}
}

func BenchmarkDecide(b *testing.B) {
	for name, f := range map[string]Facts{
		"healthy":    facts(),
		"many rules": facts(manyRules),
		"pending":    facts(notReady(ago(time.Minute))),
		"unhealthy":  facts(notReady(ago(time.Hour))),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sink = Decide(f, now)
			}
		})
	}
}

func BenchmarkRulesOf(b *testing.B) {
	mhc := checkWithManyRules()
	b.ReportAllocs()
	for b.Loop() {
		rulesSink = mhcspec.RulesOf(mhc)
	}
}

// manyRules sets more rules than anybody uses.
func manyRules(f *Facts) { f.Rules = mhcspec.RulesOf(checkWithManyRules()) }

func checkWithManyRules() *clusterv1.MachineHealthCheck {
	opts := []build.MachineHealthCheckOption{}
	for _, conditionType := range []string{"Disk", "Network", "Power"} {
		opts = append(opts, build.UnhealthyMachineCondition(conditionType, metav1.ConditionFalse, 5*time.Minute))
	}
	for _, conditionType := range []corev1.NodeConditionType{corev1.NodeReady, corev1.NodeDiskPressure, corev1.NodeMemoryPressure, corev1.NodePIDPressure} {
		opts = append(opts, build.UnhealthyNodeCondition(conditionType, corev1.ConditionUnknown, 5*time.Minute))
	}
	return build.MachineHealthCheck("ns", "mhc", opts...)
}
