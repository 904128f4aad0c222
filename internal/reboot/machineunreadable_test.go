package reboot

import (
	"context"
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// refusing returns a live reader that fails for some objects.
func (s *shared) refusing(t *testing.T, refused func(client.Object) bool) client.Reader {
	t.Helper()
	return s.e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if refused(obj) {
				return errors.New("refused by the test")
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

// TestLetsGoWithoutTheMachine: the Machine, or the infrastructure machine, becomes unreadable while the host is off. The request is
// deleted, and the host is released.
func TestLetsGoWithoutTheMachine(t *testing.T) {
	for name, refused := range map[string]func(client.Object) bool{
		"the Machine":                func(obj client.Object) bool { _, is := obj.(*clusterv1.Machine); return is },
		"the infrastructure machine": func(obj client.Object) bool { _, is := obj.(*metav1.PartialObjectMetadata); return is },
	} {
		t.Run(name, func(t *testing.T) {
			s := newShared(t)
			request := s.ask("m")
			if s.look(request); !s.held(request) {
				t.Fatalf("in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.r.Live = s.refusing(t, refused)
			if s.look(request); !s.held(request) || request.Status.Phase != v1alpha1.PoweringOff {
				t.Fatalf("before its time it is in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.delete(request)
			if s.look(request); len(s.keys()) > 0 || request.Status.Phase != v1alpha1.Aborted {
				t.Fatalf("in phase %s, with keys %v", request.Status.Phase, s.keys())
			}
			s.r.Live = s.e.Client
			if s.look(request).Status.Phase != gone {
				t.Errorf("then it is in phase %s, with finalizers %v", request.Status.Phase, request.Finalizers)
			}
		})
	}
}

// TestStaleRecord: a new leader may have an old record in its cache. It does nothing that a later status has made wrong.
func TestStaleRecord(t *testing.T) {
	s := newShared(t)
	request := s.ask("m")
	s.look(request)
	old := request.DeepCopy()
	s.delete(request)
	if s.look(request); len(s.keys()) > 0 {
		t.Fatalf("let go of, and the keys are %v", s.keys())
	}
	v, err := s.r.reads().observe(t.Context(), old, &clusterPlace{places: &s.r.places})
	if err != nil {
		t.Fatal(err)
	}
	for _, action := range []cycle.Action{cycle.SetKey, cycle.RemoveKey, cycle.DeleteNode, cycle.TaintNode, cycle.UntaintNode, cycle.RestoreNode, cycle.DropAsked, cycle.DropFull} {
		err := s.r.writes().do(t.Context(), v, cycle.Decision{Action: action, ProbedAt: noon.Time})
		if slices.Contains([]cycle.Action{cycle.RemoveKey}, action) {
			continue // The host may be released all the same.
		}
		if err == nil || len(s.keys()) > 0 {
			t.Errorf("%s: %v; the keys are %v", action, err, s.keys())
		}
	}
}
