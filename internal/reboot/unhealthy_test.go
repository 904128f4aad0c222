package reboot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// markedUnhealthy is a host that Metal3 does not hand out any more, so that the rest of an end comes next.
func markedUnhealthy(f *Facts) { f.Host.Unhealthy = true }

// TestHostMark: a host whose cycle was in vain is not handed out again, and one that works again is. The owner is asked to replace the
// machine only afterwards, since its host is free then.
func TestHostMark(t *testing.T) {
	const done, failed, aborted = v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted
	because := func(reason string) change {
		return condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason)
	}
	tried := because(v1alpha1.ReasonNodeTimedOut)
	marked := markedUnhealthy
	byUs := func(f *Facts) { f.Host.Unhealthy, f.Host.UnhealthyByUs = true, true }
	ends := func(action Action, reason string) outcome { return does(failed, action).saying(reason) }
	check(t, []row{
		{name: "never on", facts: in(failed, because(v1alpha1.ReasonPowerOnTimedOut)), want: ends(MarkHost, v1alpha1.ReasonPowerOnTimedOut)},
		{name: "never off", facts: in(failed, because(v1alpha1.ReasonPowerOffTimedOut)), want: ends(MarkHost, v1alpha1.ReasonPowerOffTimedOut)},
		{name: "no Node", facts: in(failed, tried), want: ends(MarkHost, v1alpha1.ReasonNodeTimedOut)},
		{name: "first it is let go of", facts: in(failed, tried, keyed), want: ends(RemoveKey, v1alpha1.ReasonNodeTimedOut)},
		{name: "whoever asked for what", facts: in(failed, tried, asking()), want: ends(MarkHost, v1alpha1.ReasonNodeTimedOut)},
		{name: "the owner is asked afterwards", facts: in(failed, tried, byUs), want: ends(MarkForOwner, v1alpha1.ReasonNodeTimedOut)},
		{name: "somebody else has marked it", facts: in(failed, tried, marked, notOwned), want: ends(RemoveFinalizer, v1alpha1.ReasonNodeTimedOut)},
		{name: "the machine is well after all", facts: in(failed, tried, healthy), want: ends(RemoveFinalizer, v1alpha1.ReasonNodeTimedOut)},
		{name: "another host of that name", facts: in(failed, tried, notOwned, func(f *Facts) { f.Host.UID = "h-2" }), want: ends(RemoveFinalizer, v1alpha1.ReasonNodeTimedOut)},
		{name: "it could not be worked with", facts: in(failed, because(v1alpha1.ReasonHostUnavailable)), want: ends(RemoveFinalizer, v1alpha1.ReasonHostUnavailable)},
		{name: "the Node is back, but not as it was", facts: in(failed, because(v1alpha1.ReasonRestoreTimedOut)), want: ends(RemoveFinalizer, v1alpha1.ReasonRestoreTimedOut)},
		{name: "it works again", facts: in(done, byUs), want: does(done, UnmarkHost)},
		{name: "which somebody else does not believe", facts: in(done, marked), want: does(done, RemoveFinalizer)},
		{name: "it was not cycled to the end", facts: in(aborted, byUs), want: does(aborted, RemoveFinalizer)},
	})
}

// TestMarksOfHosts are what Cluster API's provider for Metal3 looks at, in all its versions. Ours goes, and what others say stays.
func TestMarksOfHosts(t *testing.T) {
	const older, newer = "capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"
	e := env.Get(t)
	host := &metal3v1.BareMetalHost{}
	host.Namespace, host.Name = e.Namespace(t), "h"
	build.Create(t.Context(), t, e.Client, host)
	r := &Reconciler{Client: e.Client}
	expect := func(want map[string]string, marked, byUs bool) {
		t.Helper()
		if diff := cmp.Diff(want, reread(t, e, host).Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
		if gotMarked, gotByUs := unhealthyMark(host); gotMarked != marked || gotByUs != byUs {
			t.Errorf("it is marked: %t, by us: %t", gotMarked, gotByUs)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect(nil, false, false)
	must(r.markHost(t.Context(), host))
	expect(map[string]string{older: unhealthyByUs, newer: unhealthyByUs}, true, true)
	host.Annotations[newer] = "a person says so"
	must(e.Client.Update(t.Context(), host))
	expect(map[string]string{older: unhealthyByUs, newer: "a person says so"}, true, true)
	must(r.unmarkHost(t.Context(), host))
	expect(map[string]string{newer: "a person says so"}, true, false)
}
