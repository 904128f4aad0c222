package reboot

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// cycleOf returns a RebootRemediation as a record makes it.
func cycleOf(ns, name string, machine v1alpha1.MachineReference) *v1alpha1.RebootRemediation {
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: ns, Name: name, Annotations: map[string]string{v1alpha1.OperationAnnotation: "u/1"},
	}}
	request.Spec.Machine = &machine
	request.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "rec", UID: "u", OperationID: "u/1"}
	return request
}

// storedCycle makes a cycle of a Machine of Cluster API, and a record that has stored it.
func storedCycle(t *testing.T, e *env.Env, ns, name, machine string) *v1alpha1.RebootRemediation {
	t.Helper()
	request := cycleOf(ns, name, v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: machine})
	build.Create(t.Context(), t, e.Client, request)
	s := &harness{T: t, e: e, ns: ns}
	s.stores(s.recordOf(machine, name), request.UID, false)
	return request
}

// made makes a RebootRemediation as an attempt of a record does.
func (h *harness) made(by *v1alpha1.MachineRemediation) *v1alpha1.RebootRemediation {
	h.Helper()
	request := cycleOf(h.ns, by.Name+"-1", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
	request.Spec.RequestedBy.Name, request.Spec.RequestedBy.UID, request.Spec.RequestedBy.OperationID = by.Name, by.UID, string(by.UID)+"/1"
	build.Create(h.Context(), h.T, h.e.Client, request)
	return request
}

// record makes a record with that ordinal for the machine.
func (h *harness) record(ordinal int) *v1alpha1.MachineRemediation {
	h.Helper()
	return h.recordOf("m", fmt.Sprint("m-record-", ordinal))
}

// recordOf makes a record of a machine.
func (h *harness) recordOf(machine, name string) *v1alpha1.MachineRemediation {
	h.Helper()
	m := reread(h.T, h.e, build.Machine(h.ns, machine))
	spec := v1alpha1.MachineRemediationSpec{
		ClusterName: "c", Grant: 1, MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: ClusterAPIKind.Group, Name: m.Name, UID: m.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "mhc"},
		Finding:        v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Since: metav1.Now()},
		Steps:          []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(600))}},
	}
	made := recordstore.New(build.Cluster(h.ns, "c"), 1, spec)
	made.Name, made.OwnerReferences, made.Finalizers = name, nil, nil
	build.Create(h.Context(), h.T, h.e.Client, made)
	return made
}

// stores makes a record store what its first attempt has made.
func (h *harness) stores(by *v1alpha1.MachineRemediation, uid types.UID, over bool) {
	h.Helper()
	by = reread(h.T, h.e, by)
	attempt := v1alpha1.RemediationAttempt{
		Number: 1, Step: "reboot", OperationID: string(by.UID) + "/1", StartTime: new(metav1.Now()),
		ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: by.Name + "-1", UID: uid},
	}
	if over {
		attempt.EndTime = new(metav1.Now())
	}
	by.Status.Attempts = []v1alpha1.RemediationAttempt{attempt}
	objects.UpdateStatus(h, h.e.Client, by)
}

// wantWaits checks that a RebootRemediation does nothing before its record has stored it, and looks again soon.
func (h *harness) wantWaits(request *v1alpha1.RebootRemediation) {
	h.Helper()
	h.look(request)
	if request.Status.Phase != v1alpha1.Pending || reasonOf(request.Status, v1alpha1.ConditionSucceeded) != v1alpha1.ReasonNotStored || len(h.keys()) > 0 {
		h.Fatalf("in phase %s: %q; the keys are %v", request.Status.Phase, messageOf(request.Status), h.keys())
	}
}

// TestStoredByAnother: an open attempt of any record of the machine must have stored that very object.
func TestStoredByAnother(t *testing.T) {
	s := newHarness(t)
	before, by := s.record(1), s.record(2)
	request := s.made(before)
	s.stores(before, "another", false)
	s.wantWaits(request)
	s.stores(before, request.UID, true)
	s.wantWaits(request)
	s.stores(by, request.UID, false)
	if s.look(request).Status.Phase != v1alpha1.PoweringOff {
		t.Errorf("in phase %s: %q", request.Status.Phase, messageOf(request.Status))
	}
	// What has begun goes on, even if the record is deleted.
	objects.Delete(t, s.e.Client, by)
	if s.look(request).Status.Phase != v1alpha1.PoweringOff || !s.held(request) {
		t.Errorf("then it is in phase %s: %q", request.Status.Phase, messageOf(request.Status))
	}
}

// withoutRecords returns a live reader that cannot list MachineRemediations.
func (h *harness) withoutRecords(answer error) client.Reader {
	h.Helper()
	return h.e.Intercept(h.T, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, records := list.(*v1alpha1.MachineRemediationList); records {
				return answer
			}
			return c.List(ctx, list, opts...)
		},
	})
}

// TestRecordsThatCannotBeRead: if it is not known what is stored, or there are no records, nothing begins. A withdrawn request ends all the same.
func TestRecordsThatCannotBeRead(t *testing.T) {
	kind := v1alpha1.GroupVersion.WithKind("MachineRemediation").GroupKind()
	for name, answer := range map[string]error{
		"not now":       errors.New("not now"),
		"not known":     &meta.NoKindMatchError{GroupKind: kind},
		"known no more": apierrors.NewNotFound(schema.GroupResource{Group: kind.Group, Resource: "machineremediations"}, ""),
	} {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t)
			request := s.ask("m")
			s.r.Live = s.withoutRecords(answer)
			s.wantWaits(request)
			s.delete(request)
			if s.look(request).Status.Phase != gone {
				t.Errorf("in phase %s: %q", request.Status.Phase, messageOf(request.Status))
			}
		})
	}
}

// FuzzHostName: whatever an annotation says, it names either a host in its own namespace, with a name that a
// client accepts, or none.
func FuzzHostName(f *testing.F) {
	for _, value := range []string{"", "/", "ns/", "/h", "ns/h", "other/h", "ns/h/status", "ns/..", "ns/H", "ns/h.example.com", "ns/%2e", "ns/h\n", "\xff/\x00"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		obj := &metav1.ObjectMeta{Namespace: "ns", Annotations: map[string]string{HostAnnotation: value}}
		name := HostName(obj)
		if name == "" {
			return
		}
		if value != "ns/"+name || len(validation.IsDNS1123Subdomain(name)) > 0 {
			t.Errorf("%q names %q", value, name)
		}
	})
}
