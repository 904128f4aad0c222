package reboot

import (
	"strings"
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPauses: a cycle for a health check does not begin during a pause, but begins when it is over. A person's cycle begins at once.
func TestPauses(t *testing.T) {
	s := newShared(t)
	mhc := func(options ...build.MachineHealthCheckOption) client.Object {
		return build.MachineHealthCheck(s.ns, "mhc", options...)
	}
	paused := func(value string) build.Option { return build.Annotation(clusterv1.PausedAnnotation, value) }
	hold := build.Annotation(mhcspec.HoldUntilAnnotation, time.Now().Add(time.Hour).Format(time.RFC3339))
	onMachine := func(annotation string) func() {
		return func() { s.annotateMachine(annotation) }
	}
	for name, tt := range map[string]struct {
		objs  []client.Object
		also  func()
		want  string
		until bool
	}{
		"nothing":                                  {want: ""},
		"a Cluster and a health check":             {objs: []client.Object{mhc(), build.Cluster(s.ns, build.ClusterName)}},
		"the health check is handed over":          {objs: []client.Object{mhc(paused(mhcspec.HandedOverValue))}},
		"another health check is paused":           {objs: []client.Object{mhc(paused(""), build.Selector(map[string]string{"no": "match"}))}},
		"the Cluster":                              {objs: []client.Object{build.Cluster(s.ns, build.ClusterName, build.Paused())}, want: "Cluster spec.paused"},
		"the Cluster is being deleted":             {objs: []client.Object{build.Cluster(s.ns, build.ClusterName, build.Deleting(time.Now()))}, want: "being deleted"},
		"the Cluster is on hold":                   {objs: []client.Object{build.Cluster(s.ns, build.ClusterName, hold)}, want: "on hold", until: true},
		"the health check":                         {objs: []client.Object{mhc(paused(""))}, want: "MachineHealthCheck has"},
		"the health check, for an upgrade":         {objs: []client.Object{mhc(paused(mhcspec.UpgradeValue), build.Annotation(mhcspec.UpgradeMarker, ""))}, want: "upgrade"},
		"the health check is on hold":              {objs: []client.Object{mhc(hold)}, want: "on hold", until: true},
		"the Machine":                              {also: onMachine(clusterv1.PausedAnnotation), want: clusterv1.PausedAnnotation},
		"the Machine is excepted":                  {also: onMachine(clusterv1.MachineSkipRemediationAnnotation), want: clusterv1.MachineSkipRemediationAnnotation},
		"the Machine is on hold till nobody knows": {also: onMachine(mhcspec.HoldUntilAnnotation), want: mhcspec.HoldUntilAnnotation},
	} {
		t.Run(name, func(t *testing.T) {
			s.T = t
			build.Create(t.Context(), t, s.e.Client, tt.objs...)
			if tt.also != nil {
				tt.also()
			}
			record := s.ask("rec-1", ofAttempt("1"))
			s.look(record)
			if begun := record.Status.Phase == v1alpha1.PoweringOff; begun != (tt.want == "") || !strings.Contains(messageOf(record.Status), tt.want) {
				t.Errorf("in phase %s: %q, want %q", record.Status.Phase, messageOf(record.Status), tt.want)
			}
			if tt.want != "" && (len(s.keys()) > 0 || record.Status.SuspendedSince == nil) {
				t.Errorf("the keys are %v; it waits since %v", s.keys(), record.Status.SuspendedSince)
			}
			s.delete(record)
			s.look(record)
			person := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
			if s.look(person).Status.Phase != v1alpha1.PoweringOff {
				t.Errorf("what a person asks for is in phase %s: %q", person.Status.Phase, messageOf(person.Status))
			}
			s.delete(person)
			s.look(person)
			s.annotateMachine("")
			for _, obj := range tt.objs {
				obj.SetFinalizers(nil)
				if err := client.IgnoreNotFound(s.e.Client.Delete(t.Context(), obj)); err != nil {
					t.Fatal(err)
				}
				patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
				if err := client.IgnoreNotFound(s.e.Client.Patch(t.Context(), obj, patch)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// annotateMachine gives the Machine one annotation, or none.
func (s *shared) annotateMachine(annotation string) {
	s.Helper()
	m := reread(s.T, s.e, build.Machine(s.ns, "m"))
	m.Annotations = nil
	if annotation != "" {
		m.Annotations = map[string]string{annotation: ""}
	}
	if err := s.e.Client.Update(s.Context(), m); err != nil {
		s.Fatal(err)
	}
}

// TestPauseThatCannotBeRead: if it is not known whether there is a pause, nothing begins.
func TestPauseThatCannotBeRead(t *testing.T) {
	s := newShared(t)
	s.r.Live = s.refusing(t, func(obj client.Object) bool { _, cluster := obj.(*clusterv1.Cluster); return cluster })
	record := s.ask("rec-1", ofAttempt("1"))
	if s.look(record); record.Status.Phase != v1alpha1.Pending || reasonOf(record.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonUnderPause {
		t.Fatalf("in phase %s: %q", record.Status.Phase, messageOf(record.Status))
	}
	s.r.Live = s.e.Client
	if s.begins(record).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("then it is in phase %s: %q", record.Status.Phase, messageOf(record.Status))
	}
}

// TestPausesOfWhatAPersonAskedFor: the record of what a person asked for looks at pauses itself, and its cycle does not ask how the machine is.
func TestPausesOfWhatAPersonAskedFor(t *testing.T) {
	s := newShared(t)
	build.Create(t.Context(), t, s.e.Client, build.MachineHealthCheck(s.ns, "mhc", build.Annotation(clusterv1.PausedAnnotation, "")))
	by := ofAttempt("1")
	by.Person = "ann"
	if cycle := s.look(s.ask("rec-1", by)); cycle.Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("in phase %s: %q", cycle.Status.Phase, messageOf(cycle.Status))
	}
}
