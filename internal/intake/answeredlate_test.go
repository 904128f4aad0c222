package intake

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestLateAnswer: a former leader was stopped before its answer to an annotation. Meanwhile the record was carried out, and the person has set the same
// annotation once more. The late answer does not consume that one.
func TestLateAnswer(t *testing.T) {
	f := newHarness(t)
	f.annotate(rebootannotation.Request, "please")
	before := f.Client
	f.Client = f.env.Intercept(t, interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			f.ends(f.record(), metav1.ConditionTrue, v1alpha1.ReasonDone) //nolint:contextcheck // It is the test that writes.
			f.annotate(rebootannotation.Request, "")                      //nolint:contextcheck // It is the test that writes.
			f.annotate(rebootannotation.Request, "please")                //nolint:contextcheck // It is the test that writes.
			f.Client = before
			return c.Patch(ctx, obj, patch, opts...)
		},
	})
	_ = f.tryReconcile()
	f.reconcile()
	f.reconcile()
	if n := len(f.records()); n != 2 {
		t.Errorf("there is %d record, and the annotations are %v: what was asked for the second time is lost", n, f.machine.Annotations)
	}
}
