package remediation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// TestLookLive: a person without a manager sees what the controller sees past its caches, but for what it judges.
func TestLookLive(t *testing.T) {
	plans := map[string][]v1alpha1.RemediationStep{
		"reboot":  {step(v1alpha1.ActionReboot), step(v1alpha1.ActionReplace)},
		"replace": {step(v1alpha1.ActionReplace)},
		"request": {step(v1alpha1.ActionRequest, func(s *v1alpha1.RemediationStep) {
			s.TemplateRef = &v1alpha1.StepTemplateReference{APIVersion: "remediation.example.dev/v1", Kind: "FixRemediationTemplate", Name: "fix"}
		})},
		"approval": {step(v1alpha1.ActionReplace, func(s *v1alpha1.RemediationStep) { s.Approval = v1alpha1.ApprovalRequired })},
	}
	changes := map[string]func(*harness, *clusterv1.Machine){
		"nothing": func(*harness, *clusterv1.Machine) {},
		"paused":  func(f *harness, _ *clusterv1.Machine) { setPaused(f, true) },
		"on hold": func(f *harness, a *clusterv1.Machine) {
			annotate(f, a, mhcspec.HoldUntilAnnotation, "2126-01-01T00:00:00Z")
		},
		"healthy":         func(f *harness, a *clusterv1.Machine) { f.judge(a, metav1.ConditionTrue) },
		"skipped":         func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.MachineSkipRemediationAnnotation, "") },
		"dry-run":         func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, "sickbay.dev/dry-run", "true") },
		"asked":           func(f *harness, a *clusterv1.Machine) { annotate(f, a, clusterv1.RemediateMachineAnnotation, "") },
		"not handed over": func(f *harness, _ *clusterv1.Machine) { f.Policy.Adopt = mhcspec.AdoptHandedOver },
		"gone": func(f *harness, a *clusterv1.Machine) {
			objects.Delete(f.t, f.env.Client, a)
		},
	}
	for plan, steps := range plans {
		for name, change := range changes {
			t.Run(plan+", "+name, func(t *testing.T) {
				f := newHarness(t)
				f.template()
				machine := f.sick("a")
				record := f.admit(machine, by(steps...))
				f.reconcile(record)
				change(f, machine)
				stored := &v1alpha1.MachineRemediation{}
				if err := f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(record), stored); err != nil {
					t.Fatal(err)
				}
				v, err := f.observe(t.Context(), stored, current, nil)
				if err != nil {
					t.Fatal(err)
				}
				seen, err := LookLive(t.Context(), f.env.Client, f.Policy, f.clock, stored)
				if err != nil {
					t.Fatal(err)
				}
				if seen.Facts.Machine.Gone {
					// Nobody is asked for a successor.
					v.facts.Safety, v.facts.ResumedAt = ladder.Safety{}, time.Time{}
				}
				if diff := cmp.Diff(v.facts, seen.Facts); diff != "" || seen.MachineUnread || seen.Unread != nil {
					t.Errorf("unread %v (-controller +person):\n%s", seen.Unread, diff)
				}
			})
		}
	}
}

// TestLookLiveWithFewRights: what a person may not read is named, and the record stands in for it.
func TestLookLiveWithFewRights(t *testing.T) {
	f := newHarness(t)
	machine := f.sick("a")
	record := f.admit(machine, by(step(v1alpha1.ActionReboot)))
	f.reconcile(record)
	objects.Read(t, f.env.Client, record)
	tests := map[string]Seen{
		"Machine":            {Facts: ladder.Alone(record), MachineUnread: true, Unread: []string{"Machine a"}},
		"Cluster":            {Unread: []string{"the Cluster or the MachineHealthCheck of Machine a"}},
		"MachineHealthCheck": {Unread: []string{"the Cluster or the MachineHealthCheck of Machine a"}},
		"RebootRemediation":  {},
	}
	for kind, want := range tests {
		t.Run(kind, func(t *testing.T) {
			seen, err := LookLive(t.Context(), forbidding(t, f, kind), f.Policy, f.clock, record)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Unread, seen.Unread); diff != "" || seen.MachineUnread != want.MachineUnread {
				t.Errorf("machine unread: %t (-want +got):\n%s", seen.MachineUnread, diff)
			}
			if seen.Facts.Request == nil || seen.Facts.Request.OperationID != ladder.OperationID(record, 1) {
				t.Errorf("the power cycle at work is not seen: %+v", seen.Facts.Request)
			}
			if seen.Facts.Safety.Terminating.IsSet() || seen.Facts.Safety.Unmanaged.IsSet() {
				t.Errorf("what cannot be read is taken to be gone: %+v", seen.Facts.Safety)
			}
		})
	}
}

// forbidding is a client of somebody who may not read a kind.
func forbidding(t *testing.T, f *harness, kind string) client.Client {
	t.Helper()
	refuse := func(obj client.Object) error {
		gvk, err := apiutil.GVKForObject(obj, f.env.Scheme)
		if err == nil && gvk.Kind == kind {
			return apierrors.NewForbidden(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, obj.GetName(), nil)
		}
		return err
	}
	return f.env.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if err := refuse(obj); err != nil {
				return err
			}
			return c.Get(ctx, key, obj, opts...)
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, of := list.(*clusterv1.MachineHealthCheckList); of && kind == "MachineHealthCheck" {
				return apierrors.NewForbidden(schema.GroupResource{Group: clusterv1.GroupVersion.Group, Resource: "machinehealthchecks"}, "", nil)
			}
			return c.List(ctx, list, opts...)
		},
	})
}
