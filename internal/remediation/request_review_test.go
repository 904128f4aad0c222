//go:build review

package remediation

import (
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestReviewRequestWithoutItsRecord: clusterctl move takes a request along with the Machine that owns it, and leaves the record
// behind. The same is left if somebody takes the finalizer off a record by force. Nobody else ever deletes such a request.
func TestReviewRequestWithoutItsRecord(t *testing.T) {
	t.Parallel()
	orphaned := func(t *testing.T) (*fixture, *clusterv1.Machine, *v1alpha1.MachineRemediation) {
		t.Helper()
		f := newFixture(t, byTemplate())
		f.template()
		a := f.sick("a")
		request := &unstructured.Unstructured{}
		request.SetGroupVersionKind(fixKind)
		request.SetNamespace(f.ns)
		request.SetName("a")
		request.SetAnnotations(map[string]string{v1alpha1.OperationAnnotation: "a-record-that-is-nowhere/1"})
		request.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: a.Name, UID: a.UID}})
		build.Create(t.Context(), t, f.env.Client, request)
		return f, a, f.admit(a)
	}
	t.Run("the machine is repaired", func(t *testing.T) {
		t.Parallel()
		f, _, record := orphaned(t)
		for range 10 {
			f.reconcile(record)
			f.pass(time.Hour)
			f.grant(record)
		}
		got, _ := stored(f, record)
		if progressOf(got).reason == v1alpha1.ReasonRemediationHeldByOthers {
			t.Errorf("after 10 hours: %s", progressOf(got).message)
		}
	})
	t.Run("the machine recovers", func(t *testing.T) {
		t.Parallel()
		f, a, record := orphaned(t)
		f.reconcile(record)
		f.judge(a, metav1.ConditionTrue)
		f.reconcile(record)
		f.reconcile(record)
		// Whoever carries it out goes on, and ends with the replacement of a healthy machine.
		f.wantStanding()
	})
}

// TestReviewRequestThatMayNotBeReadAnyMore: the provider of a kind is removed with its permissions. The record of a machine
// that is healthy or gone has to end all the same: its slot is another's, and its finalizer holds up a namespace.
func TestReviewRequestThatMayNotBeReadAnyMore(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *fixture, a *clusterv1.Machine, record *v1alpha1.MachineRemediation){
		"the machine is gone": func(f *fixture, a *clusterv1.Machine, _ *v1alpha1.MachineRemediation) { f.goes(a) },
		"the record is deleted, its Cluster and its machine are gone": func(f *fixture, a *clusterv1.Machine, record *v1alpha1.MachineRemediation) {
			f.goes(a)
			remove(f, f.cluster)
			remove(f, record)
		},
	}, func(t *testing.T, happens func(f *fixture, a *clusterv1.Machine, record *v1alpha1.MachineRemediation)) {
		f := newFixture(t, byTemplate())
		f.template()
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		f.wantRecord(record, "Acting Acting request:-")
		request := f.objects(fixKind)[0]
		remove(f, &request)
		happens(f, a, record)
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "fixremediations"}, "a", errors.New("no rights"))
		f.Live = &refusing{Reader: f.env.Client, kind: fixKind.Kind, err: forbidden}
		var err error
		for range 3 {
			f.pass(24 * time.Hour)
			_, err = f.tryReconcile(record)
		}
		if got, ok := stored(f, record); ok && got.Status.CompletionTime == nil {
			t.Errorf("after 3 days it is open, has a slot (%t), and says %q, as there is an error: %v",
				got.Spec.Grant > got.Status.ReleasedGrant, progressOf(got).message, err)
		}
	})
}

// TestReviewLongMessage: what others say goes into our status, which takes 32 KiB of it.
func TestReviewLongMessage(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.template()
	record := f.admit(f.sick("a"), by(evidence(), step(v1alpha1.ActionReplace)))
	f.reconcile(record)
	request := f.objects(fixKind)[0]
	changeStatus(f, &request, func(u *unstructured.Unstructured) {
		u.Object["status"] = map[string]any{"conditions": []any{map[string]any{
			"type": "Succeeded", "status": "False", "message": strings.Repeat("the log of the collector\n", 1400),
		}}}
	})
	if _, err := f.tryReconcile(record); err != nil {
		t.Errorf("the record is stuck as %q: %.300v", f.summary(record), err)
	}
}
