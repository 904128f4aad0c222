package reboot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestMarksOfHosts: we set the marks that Cluster API's provider for Metal3 reads, in all its versions. We remove only ours.
func TestMarksOfHosts(t *testing.T) {
	const older, newer = "capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"
	e := env.Get(t)
	host := &metal3v1.BareMetalHost{}
	host.Namespace, host.Name = e.Namespace(t), "h"
	build.Create(t.Context(), t, e.Client, host)
	w := writer{Client: e.Client}
	expect := func(want map[string]string, marked, byUs bool) {
		t.Helper()
		if diff := cmp.Diff(want, reread(t, e, host).Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
		if got := cycle.HostFactsOf(host, "r-1", cycle.Consumer{}); got.Unhealthy != marked || got.UnhealthyByUs != byUs {
			t.Errorf("it is marked: %t, by us: %t", got.Unhealthy, got.UnhealthyByUs)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect(nil, false, false)
	must(w.markHost(t.Context(), host))
	expect(map[string]string{older: cycle.UnhealthyByUs, newer: cycle.UnhealthyByUs}, true, true)
	host.Annotations[newer] = "a person says so"
	must(e.Client.Update(t.Context(), host))
	expect(map[string]string{older: cycle.UnhealthyByUs, newer: "a person says so"}, true, true)
	must(w.unmarkHost(t.Context(), host))
	expect(map[string]string{newer: "a person says so"}, true, false)
}
