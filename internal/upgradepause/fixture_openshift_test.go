package upgradepause

import (
	"context"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// openshift is the ClusterVersion on the API server. There is only one, so tests that use it do not run in
// parallel.
type openshift struct {
	env     *env.Env
	version *configv1.ClusterVersion
}

// newOpenshift stores a ClusterVersion that does not upgrade, and removes it when the test ends.
func newOpenshift(t testing.TB, e *env.Env) *openshift {
	t.Helper()
	o := &openshift{env: e, version: &configv1.ClusterVersion{
		ObjectMeta: metav1.ObjectMeta{Name: clusterVersionName},
		Spec:       configv1.ClusterVersionSpec{ClusterID: "7e8b6a1c-0000-4000-8000-000000000000"},
	}}
	if err := e.Client.Create(t.Context(), o.version); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.Client.Delete(context.Background(), o.version)); err != nil {
			t.Error(err)
		}
		// Events on cluster-scoped objects are in the default namespace.
		if err := e.Client.DeleteAllOf(context.Background(), &eventsv1.Event{}, client.InNamespace(metav1.NamespaceDefault)); err != nil {
			t.Error(err)
		}
	})
	o.write(t, configv1.ConditionFalse, update("4.16.1", configv1.CompletedUpdate, time.Now().Add(-time.Hour)))
	return o
}

// update is an entry of the history.
func update(version string, state configv1.UpdateState, started time.Time) configv1.UpdateHistory {
	entry := configv1.UpdateHistory{
		Version: version, Image: "release:" + version, State: state, StartedTime: metav1.NewTime(started),
	}
	if state == configv1.CompletedUpdate {
		entry.CompletionTime = new(metav1.NewTime(started.Add(time.Minute)))
	}
	return entry
}

// begin starts an upgrade, as the operator reports it.
func (o *openshift) begin(t testing.TB, to string, at time.Time) {
	t.Helper()
	o.write(t, configv1.ConditionTrue, append([]configv1.UpdateHistory{update(to, configv1.PartialUpdate, at)}, o.version.Status.History...)...)
}

// end completes the last upgrade.
func (o *openshift) end(t testing.TB) {
	t.Helper()
	history := o.version.Status.History
	history[0].State, history[0].CompletionTime = configv1.CompletedUpdate, new(metav1.NewTime(history[0].StartedTime.Add(time.Minute)))
	o.write(t, configv1.ConditionFalse, history...)
}

// write stores the operator's report.
func (o *openshift) write(t testing.TB, progressing configv1.ConditionStatus, history ...configv1.UpdateHistory) {
	t.Helper()
	since := metav1.NewTime(time.Now())
	if len(history) > 0 {
		since = history[0].StartedTime
	}
	status := configv1.ClusterVersionStatus{
		Desired: configv1.Release{Version: "4.16.1", Image: "release"}, VersionHash: "hash", History: history,
		Conditions: []configv1.ClusterOperatorStatusCondition{
			{Type: configv1.OperatorAvailable, Status: configv1.ConditionTrue, LastTransitionTime: since},
			{Type: configv1.OperatorProgressing, Status: progressing, LastTransitionTime: since},
		},
	}
	o.version.Status = status
	if err := o.env.Client.Status().Update(t.Context(), o.version); err != nil {
		t.Fatal(err)
	}
}
