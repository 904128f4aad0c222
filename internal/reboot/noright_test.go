package reboot

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestNoRightSaysNothingAboutTheHost: Sickbay may not read the infrastructure machine, as while its role is replaced. It does not know whether there is a
// host. So the cycle does not end as one that can never begin (Failed, HostUnavailable): its record would go on with Replace, and wipe the disks.
func TestNoRightSaysNothingAboutTheHost(t *testing.T) {
	s := newShared(t)
	by := s.record(1)
	request := s.made(by)
	s.stores(by, request.UID, false)
	s.r.Live = s.e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if u, is := obj.(*metav1.PartialObjectMetadata); is && u.GroupVersionKind().Group == infrastructureKind.Group {
				return apierrors.NewForbidden(schema.GroupResource{Group: infrastructureKind.Group, Resource: "metal3machines"}, key.Name, errors.New("no rights"))
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
	clock := testingclock.NewFakePassiveClock(time.Now())
	s.r.Clock = clock
	for range 3 {
		s.look(request)
		clock.SetTime(clock.Now().Add(11 * time.Minute))
	}
	if status := request.Status; status.Phase == v1alpha1.Failed && status.BeganAt == nil {
		t.Errorf("it is %s, %s: %s", status.Phase, status.Outcome, messageOf(status))
	}
}
