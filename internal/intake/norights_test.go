package intake

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// TestWithoutTheRightToMakeRecords: intake says so to who asks: on the request, or by an event on the Machine.
func TestWithoutTheRightToMakeRecords(t *testing.T) {
	refused := func(t *testing.T) *harness {
		t.Helper()
		f := newHarness(t)
		f.Client = f.env.Intercept(t, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return apierrors.NewForbidden(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "machineremediations"}, "m", errors.New("no rights"))
		}})
		return f
	}
	t.Run("a request", func(t *testing.T) {
		f := refused(t)
		request := f.ask("reboot-m", func(r *v1alpha1.RebootRemediation) {
			r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
			r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: "m"}
		})
		_ = f.tryReconcile()
		if got := f.told(request); got == "" {
			t.Error("it is told nothing")
		}
	})
	t.Run("an annotation", func(t *testing.T) {
		f := refused(t)
		f.annotate(rebootannotation.Request, "please")
		_ = f.tryReconcile()
		_ = f.tryReconcile()
		if n := len(f.events.Events); n != 1 {
			t.Errorf("%d events on the Machine", n)
		}
	})
}
