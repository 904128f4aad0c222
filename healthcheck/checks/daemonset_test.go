package checks_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// daemonSet returns a DaemonSet with ten Pods, some of them updated and some unavailable.
func daemonSet(updated, unavailable int32, maxUnavailable any) *appsv1.DaemonSet {
	d := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Generation: 3},
		Status: appsv1.DaemonSetStatus{
			ObservedGeneration: 3, DesiredNumberScheduled: 10, CurrentNumberScheduled: 10,
			UpdatedNumberScheduled: updated, NumberUnavailable: unavailable,
		},
	}
	switch max := maxUnavailable.(type) {
	case int:
		d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: new(intstr.FromInt32(int32(max)))}
	case string:
		d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: new(intstr.FromString(max))}
	}
	return d
}

func TestDaemonSet(t *testing.T) {
	tooFew, misplaced, outdated := daemonSet(10, 0, 1), daemonSet(10, 0, 1), daemonSet(10, 0, 1)
	tooFew.Status.CurrentNumberScheduled = 9
	misplaced.Status.NumberMisscheduled = 1
	outdated.Generation = 4
	byHand := daemonSet(5, 1, 1)
	byHand.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
	noMaximum := daemonSet(5, 1, nil)
	noMaximum.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{}
	const broken, tooMany = "Pods are unavailable", "More than 1 Pods are unavailable"
	judge(t, checks.DaemonSet, map[string]row[*appsv1.DaemonSet]{
		"healthy":                    {daemonSet(10, 0, 1), passes},
		"nothing desired":            {&appsv1.DaemonSet{}, passes},
		"too few":                    {tooFew, fails(checks.ReasonNotScheduled, "Fewer than 10 Pods are scheduled")},
		"misplaced":                  {misplaced, fails(checks.ReasonMisscheduled, "Pods run on Nodes where they should not")},
		"one down, no roll-out":      {daemonSet(10, 1, 1), fails(checks.ReasonPodsUnavailable, broken)},
		"one down, roll-out":         {daemonSet(5, 1, 1), passes},
		"two down, roll-out":         {daemonSet(5, 2, 1), fails(checks.ReasonPodsUnavailable, tooMany)},
		"percentage is rounded down": {daemonSet(5, 2, "19%"), fails(checks.ReasonPodsUnavailable, tooMany)},
		"percentage":                 {daemonSet(5, 2, "20%"), passes},
		"no percentage":              {daemonSet(5, 1, "many"), fails(checks.ReasonPodsUnavailable, broken)},
		"no maximum":                 {noMaximum, fails(checks.ReasonPodsUnavailable, broken)},
		"no rolling update":          {daemonSet(5, 1, nil), fails(checks.ReasonPodsUnavailable, broken)},
		"updated by hand":            {byHand, fails(checks.ReasonPodsUnavailable, broken)},
		"not observed":               {outdated, notObserved("Observed generation is 3, not 4")},
	})
}

// joined returns a DaemonSet whose Pods have not been made yet on three Nodes of ten.
func joined() *appsv1.DaemonSet {
	d := daemonSet(0, 3, 1)
	d.Status.CurrentNumberScheduled = 7
	return d
}

func TestDaemonSetRolledOut(t *testing.T) {
	byHand, down := daemonSet(5, 0, 1), daemonSet(0, 3, 1)
	byHand.Spec.UpdateStrategy.Type, down.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType
	mayBeNew := rollsOut("revision 3", "More than 1 Pods are unavailable")
	mayBeNew.Reason, mayBeNew.Overdue = checks.ReasonPodsUnavailable, checks.ReasonPodsUnavailable
	judge(t, checks.DaemonSetRolledOut, map[string]row[*appsv1.DaemonSet]{
		"healthy":                {daemonSet(10, 0, 1), passes},
		"rolling out":            {daemonSet(5, 1, 1), rollsOut("revision 3", "Fewer than 10 Pods are updated")},
		"updated by hand":        {byHand, passes},
		"by hand, many at once":  {down, mayBeNew},
		"too many down":          {daemonSet(0, 2, 1), fails(checks.ReasonPodsUnavailable, "More than 1 Pods are unavailable")},
		"one down, with a surge": {daemonSet(0, 1, 0), rollsOut("revision 3", "Fewer than 10 Pods are updated")},
		"Nodes have joined":      {daemonSet(10, 3, 1), mayBeNew},
		"Nodes have no Pod yet":  {joined(), rollsOut("revision 3", "Fewer than 10 Pods are scheduled")},
	})
}

func TestDaemonSetAvailable(t *testing.T) {
	missing := rollsOut("revision 3", "Fewer than 10 Pods are scheduled")
	missing.Reason, missing.Overdue = checks.ReasonNotScheduled, checks.ReasonNotScheduled
	judge(t, checks.DaemonSetAvailable, map[string]row[*appsv1.DaemonSet]{
		"Nodes have no Pod yet": {joined(), missing},
		"Nodes have joined":     {daemonSet(10, 3, 1), fails(checks.ReasonPodsUnavailable, "More than 1 Pods are unavailable")},
	})
}
