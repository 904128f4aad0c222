package cycle_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// refused is an API server that refuses all writes to the status of Machines.
type refused struct{ client.Client }

// Status implements client.StatusClient.
func (r refused) Status() client.SubResourceWriter { return refusedStatus{r.Client.Status()} }

type refusedStatus struct{ client.SubResourceWriter }

// Apply implements client.SubResourceWriter.
func (refusedStatus) Apply(context.Context, runtime.ApplyConfiguration, ...client.SubResourceApplyOption) error {
	return apierrors.NewForbidden(schema.GroupResource{Group: clusterv1.GroupVersion.Group, Resource: "machines/status"}, "m", errors.New("no rights"))
}

// TestProgressCannotBeWritten: the controllers cycle a host even if they cannot write the Machine's conditions, which do not
// matter for fencing. They write them once they can.
func TestProgressCannotBeWritten(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	allowed := s.brain.reconciler.Client
	s.brain.reconciler.Client = refused{allowed}
	m.request(v1alpha1.RebootSettings{})
	m.ends(v1alpha1.Succeeded, "Succeeded")
	m.mustHaveCycled(1)
	m.mustHaveAll()
	if len(s.brain.errors) > 0 {
		t.Errorf("there were errors: %v", s.brain.errors)
	}
	if got := m.mark(clusterv1.MachineExternallyRemediatedCondition); got != "" {
		t.Errorf("the Machine shows %q", got)
	}
	reported := 0
	for i, reason := range s.log.all() {
		if reason == reboot.EventStepFailed {
			reported++
			if !strings.Contains(s.log.texts[i], "no rights") {
				t.Errorf("the event does not say why: %q", s.log.texts[i])
			}
		}
	}
	if reported != 1 {
		t.Errorf("the failure is reported %d times: %v", reported, s.log.all())
	}
	s.brain.reconciler.Client = allowed
	m.becomes("the Machine shows it", func() bool { return m.mark(clusterv1.MachineExternallyRemediatedCondition) == "True Succeeded" })
}

// TestProgressIsWrittenAgain: the controllers write the Machine's condition again if somebody else overwrites it.
func TestProgressIsWrittenAgain(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	obstacles[v1alpha1.PoweringOff].set(m)
	m.request(v1alpha1.RebootSettings{})
	m.becomes("the Machine shows it", func() bool { return m.mark(clusterv1.MachineExternallyRemediatedCondition) == "False PoweringOff" })
	obj := m.get().(*clusterv1.Machine)
	obj.Status.Conditions = nil
	if err := m.client.Status().Update(m.ctx, obj); err != nil {
		t.Fatal(err)
	}
	m.becomes("the Machine shows it again", func() bool { return m.mark(clusterv1.MachineExternallyRemediatedCondition) == "False PoweringOff" })
}
