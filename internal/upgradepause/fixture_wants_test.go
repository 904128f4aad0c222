package upgradepause

import (
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// wantStored asserts all annotations of a MachineHealthCheck.
func (f *fixture) wantStored(check *metav1.PartialObjectMetadata, want stored) {
	f.t.Helper()
	got := stored(read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).Annotations)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		f.t.Errorf("annotations of %s (-want +got):\n%s", check.Name, diff)
	}
}

// wantEvents asserts the beginnings of the events since the last call.
func (f *fixture) wantEvents(want ...string) {
	f.t.Helper()
	var got []string
	for len(f.events.Events) > 0 {
		event := <-f.events.Events
		if i := len(got); i < len(want) && strings.HasPrefix(event, want[i]) {
			event = want[i]
		}
		got = append(got, event)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		f.t.Errorf("events (-want +got):\n%s", diff)
	}
}

// wantRest asserts that nothing is written or reported while nothing changes.
func (f *fixture) wantRest(check *metav1.PartialObjectMetadata) {
	f.t.Helper()
	before := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).ResourceVersion
	for range 3 {
		f.pass(time.Minute)
		f.reconcile(check)
	}
	if after := read(f.t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).ResourceVersion; after != before {
		f.t.Errorf("%s was written though nothing had changed", check.Name)
	}
	f.wantEvents()
}
