package reboot

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestPersonAsksUnderAPause: between two attempts, a health check's cycle waits for a pause to end. A person's request is done
// meanwhile, and the health check's cycle then waits for it.
func TestPersonAsksUnderAPause(t *testing.T) {
	s := newShared(t)
	first := s.ask("m", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck})
	s.look(first)
	first.Status.Phase, first.Status.NextAttemptAt = v1alpha1.CoolingDown, new(metav1.NewTime(time.Now()))
	if err := s.e.Client.Status().Update(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	m := reread(t, s.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "m"}})
	m.Annotations = map[string]string{clusterv1.MachineSkipRemediationAnnotation: ""}
	if err := s.e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if s.look(first); len(s.keys()) > 0 || reasonOf(first.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonUnderPause {
		t.Fatalf("in phase %s: %+v", first.Status.Phase, first.Status.Conditions)
	}
	person := s.ask("by-hand", v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson})
	if s.look(person).Status.Phase != v1alpha1.PoweringOff || !s.held(person) {
		t.Errorf("a person waits for the pause: %s", messageOf(person.Status))
	}
	m = reread(t, s.e, m)
	m.Annotations = nil
	if err := s.e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if s.look(first); !s.held(person) || !strings.Contains(messageOf(first.Status), "by-hand") {
		t.Errorf("then the keys are %v, and the first says %s", s.keys(), messageOf(first.Status))
	}
}

// TestPersonOfAControlPlaneUnderAPause: another machine of the control plane does not wait for a cycle that waits for a pause
// either.
func TestPersonOfAControlPlaneUnderAPause(t *testing.T) {
	p := newPlane(t, 3)
	paused := p.ask("m1")
	paused.Status.Phase, paused.Status.PausedSince = v1alpha1.CoolingDown, new(metav1.Now())
	if err := p.e.Client.Status().Update(t.Context(), paused); err != nil {
		t.Fatal(err)
	}
	person := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: p.ns, Name: "by-hand"}}
	person.Spec.Machine = &v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m2"}
	person.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}
	build.Create(t.Context(), t, p.e.Client, person)
	if p.look(person).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("in phase %s: %s", person.Status.Phase, messageOf(person.Status))
	}
}
