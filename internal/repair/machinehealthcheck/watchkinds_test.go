package machinehealthcheck

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/event"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

// TestOnlyTemplatesAreWatched: a MachineHealthCheck that names a kind without templates does not make Sickbay watch its objects.
func TestOnlyTemplatesAreWatched(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	build.Create(t.Context(), t, w.env.Client, build.RemediationTemplate(templateKind, w.ns, "fix", nil),
		&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "fix"}})
	for kind, want := range map[schema.GroupVersionKind]int{templateKind: 1, coordinationv1.SchemeGroupVersion.WithKind("Lease"): 0} {
		ctl := &live.Controller{}
		w.watches = scaffold.Watches{Controller: ctl}
		mhc := build.MachineHealthCheck(w.ns, "mhc", build.TemplateRef(kind, "fix"))
		if err := w.observeTemplate(t.Context(), &admission.Facts{MachineHealthCheck: mhc}); err != nil {
			t.Errorf("%s: %v", kind.Kind, err)
		}
		if ctl.Watches != want {
			t.Errorf("%s: %d watches begin, want %d", kind.Kind, ctl.Watches, want)
		}
	}
}

// TestTemplateEvents: a template that comes or goes wakes up those that refer to it, and what is written in one wakes up nobody.
func TestTemplateEvents(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	other := templateKind
	other.Kind = "OtherRemediationTemplate"
	build.Create(t.Context(), t, w.env.Client,
		build.MachineHealthCheck(w.ns, "a", build.TemplateRef(templateKind, "fix")),
		build.MachineHealthCheck(w.ns, "another-template", build.TemplateRef(templateKind, "other")),
		build.MachineHealthCheck(w.ns, "another-kind", build.TemplateRef(other, "fix")),
		build.MachineHealthCheck(w.ns, "plan", build.TemplateRef(mhcspec.PlanKind.WithVersion("v1alpha1"), "fix")),
		build.MachineHealthCheck(w.ns, "none"))
	template := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: w.ns, Name: "fix"}}
	for want, kind := range map[string]schema.GroupKind{"a": templateKind.GroupKind(), "plan": mhcspec.PlanKind} {
		var got []string
		for _, req := range w.usingTemplates(kind)(t.Context(), template) {
			got = append(got, req.Name)
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("an event of a %s (-want +got):\n%s", kind, diff)
		}
	}
	passes := comesOrGoes()
	if !passes.Create(event.CreateEvent{Object: template}) || !passes.Delete(event.DeleteEvent{Object: template}) || passes.Update(event.UpdateEvent{ObjectOld: template, ObjectNew: template}) {
		t.Error("creation and deletion have to pass, and nothing else")
	}
}
