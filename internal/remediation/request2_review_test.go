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

	"github.com/sickbay-dev/sickbay/internal/remedy"
)

// TestReviewRequestOnItsWayOut: the version before has withdrawn its request, which takes, and the machine is sick again. That
// request is no attempt of the new record: once it is gone, one is made.
func TestReviewRequestOnItsWayOut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, byTemplate())
	f.template()
	a := f.sick("a")
	old := remedy.NewCabinet(f.env.Client, f.env.Client, f.clock)
	if _, err := old.Apply(t.Context(), remedy.Request, remedy.Patient{Machine: a, MachineHealthCheck: f.mhc}); err != nil {
		t.Fatal(err)
	}
	request := f.objects(fixKind)[0]
	change(f, &request, func(u *unstructured.Unstructured) { u.SetFinalizers([]string{keep}) })
	remove(f, &request)
	record := f.admit(a)
	f.reconcile(record)
	change(f, &request, func(u *unstructured.Unstructured) { u.SetFinalizers(nil) })
	for range 3 {
		f.reconcile(record)
		f.pass(time.Minute)
		f.grant(record)
	}
	f.wantRecord(record, "Acting Acting request:-")
}

// TestReviewForbiddenRequestIsNamed: the machine is healthy, or handed back, and what was asked for cannot be read. Nobody knows
// whether it stands, so the record may wait; but it has to say for what, and not keep its slot without a word.
func TestReviewForbiddenRequestIsNamed(t *testing.T) {
	t.Parallel()
	rows(t, map[string]func(f *fixture, a *clusterv1.Machine){
		"healthy":       func(f *fixture, a *clusterv1.Machine) { f.judge(a, metav1.ConditionTrue) },
		"check is gone": func(f *fixture, _ *clusterv1.Machine) { remove(f, f.mhc) },
	}, func(t *testing.T, happens func(f *fixture, a *clusterv1.Machine)) {
		f := newFixture(t, byTemplate())
		f.template()
		a := f.sick("a")
		record := f.admit(a)
		f.reconcile(record)
		happens(f, a)
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "fixremediations"}, "a", errors.New("no rights"))
		f.Live = &refusing{Reader: f.env.Client, kind: fixKind.Kind, err: forbidden}
		for range 3 {
			f.pass(24 * time.Hour)
			_, _ = f.tryReconcile(record)
		}
		got, _ := stored(f, record)
		if got.Status.CompletionTime == nil && !strings.Contains(progressOf(got).message, "forbidden") {
			t.Errorf("after 3 days it says %q", progressOf(got).message)
		}
	})
}
