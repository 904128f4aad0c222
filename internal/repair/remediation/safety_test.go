package remediation

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// lateChange is what the cache does not show yet when a machine is about to be repaired.
type lateChange struct {
	change func(f *harness, a *clusterv1.Machine)
	// record is what becomes of the record.
	record string
	// standing is what is asked for nevertheless.
	standing []string
}

const (
	undecidedNow = "Pending Undecided"
	paused       = "Pending Paused"
	handedBack   = "Ended Ended HandedBack"
	acting       = "Acting Acting replace:-"
)

func setPaused(f *harness, paused bool) {
	change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = &paused })
}

// lateChanges are tried on a Machine whose MachineHealthCheck selects those of the MachineSet and has the label of our
// watch filter.
var lateChanges = map[string]lateChange{
	"nothing":           {func(*harness, *clusterv1.Machine) {}, acting, []string{"a: mark"}},
	"its Node is back":  {func(f *harness, _ *clusterv1.Machine) { f.nodes.Put(f.clusterKey(), build.Node("a")) }, undecidedNow, nil},
	"no Node is read":   {func(f *harness, _ *clusterv1.Machine) { f.nodes.CutOff(f.clusterKey(), f.clock.Now()) }, undecidedNow, nil},
	"it is healthy":     {func(f *harness, a *clusterv1.Machine) { f.judge(a, metav1.ConditionTrue) }, "Ended Ended RecoveredUnaided", nil},
	"it is not decided": {func(f *harness, a *clusterv1.Machine) { f.judge(a, metav1.ConditionUnknown) }, undecidedNow, nil},
	"its verdict is gone": {func(f *harness, a *clusterv1.Machine) {
		changeStatus(f, a, func(m *clusterv1.Machine) { m.Status.Conditions = nil })
	}, undecidedNow, nil},
	"it is paused":        {func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.PausedAnnotation, "") }, paused, nil},
	"it is to be skipped": {func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "") }, handedBack, nil},
	"it is not selected any more": {func(f *harness, a *clusterv1.Machine) {
		change(f, a, func(m *clusterv1.Machine) { m.Labels[clusterv1.MachineSetNameLabel] = "other" })
	}, handedBack, nil},
	"it moves to a MachineHealthCheck that the cache does not show": {func(f *harness, a *clusterv1.Machine) {
		build.Create(f.t.Context(), f.t, f.env.Client, build.MachineHealthCheck(f.ns, "other",
			build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "other"}), build.Label(clusterv1.WatchLabel, "us")))
		change(f, a, func(m *clusterv1.Machine) { m.Labels[clusterv1.MachineSetNameLabel] = "other" })
	}, acting, []string{"a: mark"}},
	"it has lost its owner": {func(f *harness, a *clusterv1.Machine) {
		change(f, a, func(m *clusterv1.Machine) { m.OwnerReferences = nil })
	}, acting, []string{"a: deleting"}},
	"somebody has deleted it": {func(f *harness, a *clusterv1.Machine) { remove(f, a) }, "Pending HeldByOthers", []string{"a: deleting"}},
	"a person asks for a reboot": {func(f *harness, a *clusterv1.Machine) {
		annotate(f, a, rebootannotation.Request, "")
	}, "Pending HeldByOthers", []string{"a: reboot"}},
	"a person keeps its host off": {func(f *harness, a *clusterv1.Machine) {
		annotate(f, a, rebootannotation.Request+"/PowerOff", "")
	}, "Pending HeldByOthers", nil},
	"it is on hold": {func(f *harness, a *clusterv1.Machine) {
		annotate(f, a, mhcspec.HoldUntilAnnotation, f.clock.Now().Add(time.Hour).Format(time.RFC3339))
	}, "Pending OnHold", nil},
	"its Cluster is gone":                  {func(f *harness, _ *clusterv1.Machine) { remove(f, f.cluster) }, paused, nil},
	"its Cluster is being deleted":         {func(f *harness, _ *clusterv1.Machine) { f.deleting(f.cluster) }, paused, nil},
	"its Cluster is paused":                {func(f *harness, _ *clusterv1.Machine) { setPaused(f, true) }, paused, nil},
	"its Cluster is on hold":               {func(f *harness, _ *clusterv1.Machine) { annotate(f, f.cluster, mhcspec.HoldUntilAnnotation, "soon") }, "Pending OnHold", nil},
	"its MachineHealthCheck is held":       {func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.HoldUntilAnnotation, "soon") }, "Pending OnHold", nil},
	"its MachineHealthCheck pauses":        {func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") }, paused, nil},
	"its MachineHealthCheck only tells":    {func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.DryRunAnnotation, "true") }, paused, nil},
	"its MachineHealthCheck may only tell": {func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.DryRunAnnotation, "yes!") }, paused, nil},
	"its MachineHealthCheck is invalid": {func(f *harness, _ *clusterv1.Machine) {
		annotate(f, f.mhc, mhcspec.ResumedAtAnnotation, "yesterday")
	}, "Pending GateClosed", nil},
	"its MachineHealthCheck was resumed just now": {func(f *harness, a *clusterv1.Machine) {
		changeStatus(f, a, func(m *clusterv1.Machine) { m.Status.NodeRef = clusterv1.MachineNodeReference{} })
		annotate(f, f.mhc, mhcspec.ResumedAtAnnotation, f.clock.Now().Format(time.RFC3339))
	}, undecidedNow, nil},
	// What is edited applies to the next record, but for what keeps machines safe.
	"its MachineHealthCheck has another strategy": {func(f *harness, _ *clusterv1.Machine) {
		annotate(f, f.mhc, mhcspec.StrategyAnnotation, "reboot")
	}, acting, []string{"a: mark"}},
	"its MachineHealthCheck has other rules": {func(f *harness, _ *clusterv1.Machine) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(1)) })
	}, acting, []string{"a: mark"}},
	"its MachineHealthCheck is gone": {func(f *harness, _ *clusterv1.Machine) { remove(f, f.mhc) }, handedBack, nil},
	"its MachineHealthCheck is taken from us": {func(f *harness, _ *clusterv1.Machine) {
		change(f, f.mhc, func(m *clusterv1.MachineHealthCheck) { m.Labels[clusterv1.WatchLabel] = "them" })
	}, handedBack, nil},
	"its MachineHealthCheck has no room": {func(f *harness, _ *clusterv1.Machine) { f.gate.over = "2 of at most 1 in flight" }, "Pending NoSlot", nil},
	"too many Nodes show the same":       {func(f *harness, _ *clusterv1.Machine) { f.gate.suspected = "GpuHealthy is False on 3 of 3 Nodes" }, "Pending GateClosed", nil},
	"too many are sick":                  {func(f *harness, _ *clusterv1.Machine) { f.gate.closed = "3 of 3 not healthy" }, "Pending GateClosed", nil},
	"its record is deleted":              {func(f *harness, _ *clusterv1.Machine) { remove(f, f.recordOf("a")) }, "gone", nil},
	"its record has lost the slot": {func(f *harness, _ *clusterv1.Machine) {
		changeStatus(f, f.recordOf("a"), func(r *v1alpha1.MachineRemediation) {
			r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant = 1, "replace", 1
		})
	}, "Pending NoSlot", nil},
}

// TestLateChanges: what the cache does not show is seen before anything is done.
func TestLateChanges(t *testing.T) {
	t.Parallel()
	rows(t, lateChanges, func(t *testing.T, tt lateChange) {
		t.Helper()
		f := newHarness(t, build.Selector(map[string]string{clusterv1.MachineSetNameLabel: "set"}), build.Label(clusterv1.WatchLabel, "us"))
		f.Policy = mhcspec.Policy{WatchFilter: "us"}
		a := f.sick("a", build.Finalizer(keep))
		record := f.admit(a)
		f.freeze(record)
		tt.change(f, a)
		f.reconcile(record)
		f.wantStanding(tt.standing...)
		f.wantRecord(record, tt.record)
		if tt.record == "gone" {
			return
		}
		f.wantSlot(record, tt.record == acting)
		if events := f.events(); tt.record != acting && strings.Contains(strings.Join(events, "\n"), EventRemediationStarted) {
			t.Errorf("announced %q", events)
		}
	})
}

// recordOf is the first record of a Machine.
func (f *harness) recordOf(machine string) *v1alpha1.MachineRemediation {
	f.t.Helper()
	list := objects.List(f.t, f.env.Client, &v1alpha1.MachineRemediationList{}, f.ns)
	for i := range list.Items {
		if r := &list.Items[i]; r.Spec.MachineRef.Name == machine {
			return r
		}
	}
	f.t.Fatalf("machine %s has no record", machine)
	return nil
}

// grant gives a record a slot once more, as machinehealthcheck does.
func (f *harness) grant(record *v1alpha1.MachineRemediation) {
	f.t.Helper()
	change(f, record, func(r *v1alpha1.MachineRemediation) { r.Spec.Grant = r.Status.ReleasedGrant + 1 })
}

// TestClaimsOfOthers: a Node that another system works on is left to it. Who got it from NVSentinel may ask for its remediation.
func TestClaimsOfOthers(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, time.Minute))
	a := f.sick("a")
	record := f.admit(a)
	f.nodes.Put(f.clusterKey(), build.Node("a", build.NodeReady(metav1.ConditionFalse, build.Epoch), build.NodeFunc(func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: releaseTaint, Value: "err-1", Effect: corev1.TaintEffectNoSchedule})
	})))
	f.reconcile(record)
	f.wantStanding()
	f.wantRecord(record, "Pending HeldByOthers")
	got, _ := stored(f, record)
	if want := "NVSentinel has given the Node to err-1"; ladder.Progress(&got.Status).Message != want {
		t.Errorf("it says %q, want %q", ladder.Progress(&got.Status).Message, want)
	}
	annotate(f, a, clusterv1.RemediateMachineAnnotation, "")
	f.pass(time.Minute)
	f.reconcile(record)
	f.grant(record)
	f.reconcile(record)
	f.wantStanding("a: mark")
}

func TestWorkOfOthers(t *testing.T) {
	label := func(state string) build.Option { return build.Label(nvsentinelState, state) }
	condition := func(conditionType string, status metav1.ConditionStatus) build.ConditionOption {
		return build.Condition(conditionType, status, "Planned", build.Epoch).WithMessage("until noon")
	}
	tests := map[string]struct {
		node *corev1.Node
		want string
	}{
		"no Node":                       {nil, ""},
		"a free Node":                   {build.Node("n"), ""},
		"drained by NVSentinel":         {build.Node("n", label("draining")), "NVSentinel works on the Node: draining"},
		"repaired by NVSentinel":        {build.Node("n", label("remediating")), "NVSentinel works on the Node: remediating"},
		"quarantined, and free":         {build.Node("n", label("quarantined")), ""},
		"given up by NVSentinel":        {build.Node("n", label("remediation-failed")), ""},
		"a state of a later NVSentinel": {build.Node("n", label("rebooting")), "NVSentinel works on the Node: rebooting"},
		"drained in vain":               {build.Node("n", label("drain-failed")), ""},
		"repaired, it believes":         {build.Node("n", label("remediation-succeeded")), ""},
		"under maintenance":             {build.Node("n", condition("MaintenanceInProgress", metav1.ConditionTrue)), "The Node has the condition MaintenanceInProgress: until noon"},
		"being drained":                 {build.Node("n", condition("DrainInProgress", metav1.ConditionTrue)), "The Node has the condition DrainInProgress: until noon"},
		"maintenance is over":           {build.Node("n", condition("MaintenanceInProgress", metav1.ConditionFalse)), ""},
		"maintenance may come yet":      {build.Node("n", condition("MaintenancePlanned", metav1.ConditionTrue)), ""},
	}
	for name, tt := range tests {
		if got := workOfOthers(tt.node, false).String(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// deleting has an object be on its way out.
func (f *harness) deleting(obj *clusterv1.Cluster) {
	f.t.Helper()
	change(f, obj, func(c *clusterv1.Cluster) { c.Finalizers = append(c.Finalizers, keep) })
	remove(f, obj)
}
