package verdict

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

const noPower = "Host host has an error: power management error: the BMC does not answer"

// hostError sets the Machine's condition to say that the host has had an error since a time.
func hostError(since time.Time) fact {
	return hostSays(metav1.ConditionFalse, since)
}

func hostSays(status metav1.ConditionStatus, since time.Time) fact {
	return func(f *Facts) {
		f.Machine.Status.Conditions = append(f.Machine.Status.Conditions, metav1.Condition{
			Type: "HostHealthy", Status: status, Reason: "HostError", Message: noPower, LastTransitionTime: metav1.NewTime(since),
		})
	}
}

func hostErrorOff(f *Facts) { f.Rules.HostErrorTimeout = 0 }

func hostErrorGone(f *Facts) { f.HostErrorGone = true }

func hostQuiet(f *Facts) { f.HostQuiet = true }

// pausedCondition is the condition Paused, which Cluster API sets on a Machine, and Sickbay on a
// MachineHealthCheck.
func pausedCondition(status metav1.ConditionStatus, since time.Time) metav1.Condition {
	return metav1.Condition{Type: "Paused", Status: status, LastTransitionTime: metav1.NewTime(since)}
}

func machinePaused(status metav1.ConditionStatus, since time.Time) fact {
	return func(f *Facts) {
		f.Machine.Status.Conditions = append(f.Machine.Status.Conditions, pausedCondition(status, since))
	}
}

func checkPaused(status metav1.ConditionStatus, since time.Time) fact {
	return func(f *Facts) { f.Rules.Paused = new(pausedCondition(status, since)) }
}

// TestHostError: the error of a host counts by how long the Machine's condition has shown it.
func TestHostError(t *testing.T) {
	bad := verdict{Status: healthcheck.False, Reason: "HostError", Message: noPower}
	also := bad
	also.Message += "; Node not found"
	minute := ago(time.Minute)
	noInfra := cluster(build.InfrastructureNotReady())
	run(t, map[string]row{
		"for its timeout":                      {facts(hostError(ago(5 * time.Minute))), bad},
		"a nanosecond less":                    {facts(hostError(ago(5*time.Minute - 1))), healthy.in(1)},
		"off":                                  {facts(hostError(ago(time.Hour)), hostErrorOff), healthy},
		"gone when it was read anew":           {facts(hostError(ago(time.Hour)), hostErrorGone), healthy},
		"no error":                             {facts(hostSays(metav1.ConditionTrue, ago(time.Hour))), healthy},
		"not known":                            {facts(hostSays(metav1.ConditionUnknown, ago(time.Hour))), healthy},
		"a pause has ended since":              {facts(hostError(ago(time.Hour)), resumed(minute)), healthy.in(4 * time.Minute)},
		"quiet now, was healthy":               {facts(hostError(ago(time.Hour)), hostQuiet, wasHealthy), healthy},
		"quiet now, was not":                   {facts(hostError(ago(time.Hour)), hostQuiet), bad},
		"quiet now, not yet":                   {facts(hostError(ago(4*time.Minute)), hostQuiet, wasHealthy), healthy.in(time.Minute)},
		"its Machine was paused since":         {facts(hostError(ago(time.Hour)), machinePaused(metav1.ConditionFalse, minute)), healthy.in(4 * time.Minute)},
		"its Machine was paused before":        {facts(hostError(ago(time.Hour)), machinePaused(metav1.ConditionFalse, ago(2*time.Hour))), bad},
		"its Machine comes out of a pause":     {facts(hostError(ago(time.Hour)), machinePaused(metav1.ConditionTrue, ago(2*time.Hour))), healthy.in(5 * time.Minute)},
		"its MachineHealthCheck was paused":    {facts(hostError(ago(time.Hour)), checkPaused(metav1.ConditionFalse, minute)), healthy.in(4 * time.Minute)},
		"it comes out of a pause":              {facts(hostError(ago(time.Hour)), checkPaused(metav1.ConditionTrue, ago(2*time.Hour))), healthy.in(5 * time.Minute)},
		"and the Node is gone":                 {facts(hostError(ago(time.Hour)), nodeGone), also},
		"the cluster is not up":                {facts(hostError(ago(time.Hour)), noInfra), waitForInfra},
		"not yet, and waiting for a Node":      {facts(machineWithoutNode(build.CreatedAt(now)), hostError(minute)), waitForNode.in(4 * time.Minute)},
		"not yet, and the Node cannot be read": {facts(wasHealthy, lost(now), hostError(ago(4*time.Minute))), healthy.in(time.Minute)},
	})
}

// TestHostFacts: what a host reports, and whether its operator watches it.
func TestHostFacts(t *testing.T) {
	failing := metal3v1.BareMetalHostStatus{
		OperationalStatus: "error", ErrorType: "power management error",
		ErrorMessage: "dial tcp 10.0.0.5:43122->10.0.0.1:623: i/o timeout",
	}
	for name, tt := range map[string]struct {
		status     metal3v1.BareMetalHostStatus
		annotation string
		want       HostFacts
		says       healthcheck.Result
	}{
		"fine":      {metal3v1.BareMetalHostStatus{OperationalStatus: "OK"}, "", HostFacts{Name: "host"}, healthcheck.Result{Status: healthcheck.True, Reason: "NoError"}},
		"servicing": {metal3v1.BareMetalHostStatus{OperationalStatus: "servicing"}, "", HostFacts{Name: "host"}, healthcheck.Result{Status: healthcheck.True, Reason: "NoError"}},
		"failing": {
			failing, "", HostFacts{Name: "host", Error: "power management error: dial tcp 10.0.0.5->10.0.0.1:623: i/o timeout"},
			healthcheck.Result{Status: healthcheck.False, Reason: "HostError", Message: "Host host has an error: power management error: dial tcp 10.0.0.5->10.0.0.1:623: i/o timeout"},
		},
		"failing without words": {
			metal3v1.BareMetalHostStatus{OperationalStatus: "error"}, "", HostFacts{Name: "host", Error: "error"},
			healthcheck.Result{Status: healthcheck.False, Reason: "HostError", Message: "Host host has an error: error"},
		},
		"failing, and paused":   {failing, metal3v1.PausedAnnotation, HostFacts{Name: "host", Unwatched: true}, unknown("HostUnwatched", "Host host is paused or detached: its operator ignores it")},
		"failing, and detached": {failing, metal3v1.DetachedAnnotation, HostFacts{Name: "host", Unwatched: true}, unknown("HostUnwatched", "Host host is paused or detached: its operator ignores it")},
	} {
		host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Name: "host"}, Status: tt.status}
		if tt.annotation != "" {
			host.Annotations = map[string]string{tt.annotation: ""}
		}
		got := HostFactsOf(host)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(tt.says, DecideHost(got)); diff != "" {
			t.Errorf("%s, the condition (-want +got):\n%s", name, diff)
		}
	}
}
