package healthchecktest_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Shop is a custom resource with a Deployment behind it.
type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Open *bool `json:"open,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (s *Shop) DeepCopyObject() runtime.Object {
	c := *s
	s.DeepCopyInto(&c.ObjectMeta)
	if s.Open != nil {
		c.Open = new(*s.Open)
	}
	return &c
}

func books() *Shop {
	return &Shop{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books", Labels: map[string]string{"floor": "1"}}, Open: new(true)}
}

// backend returns the Deployment of a shop, which rolls out if fewer than two of its replicas are
// updated.
func backend(updated int32) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books"},
		Spec:       appsv1.DeploymentSpec{Replicas: new(int32(2))},
		Status: appsv1.DeploymentStatus{Replicas: 2, UpdatedReplicas: updated, AvailableReplicas: 2, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
		}},
	}
}

// shops returns a registration with a check of the backend, and more checks.
func shops(more ...healthcheck.NamedCheck[*Shop]) healthcheck.Registration[*Shop] {
	find := func(s *Shop) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}}
	}
	return healthcheck.Registration[*Shop]{
		Name: "shops",
		Conditions: []healthcheck.ConditionChecks[*Shop]{{
			Type:   "Upgraded",
			Checks: append([]healthcheck.NamedCheck[*Shop]{checks.One("backend", checks.Source, find, checks.DeploymentRolledOut)}, more...),
		}},
		Watches: []healthcheck.Watch{{Object: &appsv1.Deployment{}}},
	}
}

// check returns a check that needs nothing.
func check(f healthcheck.CheckFunc[*Shop]) healthcheck.NamedCheck[*Shop] {
	return healthcheck.NamedCheck[*Shop]{Name: "own", Check: f}
}

// input returns the input of checks in these tests.
func input() healthcheck.Input[*Shop] {
	return healthcheck.Input[*Shop]{Object: books(), Now: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), Env: healthcheck.Env{Parent: books()}}
}

func healthy(context.Context, healthcheck.Input[*Shop]) (healthcheck.Result, error) {
	return healthcheck.Result{Status: healthcheck.True, Reason: "Healthy"}, nil
}

// recorder is a TB that records failures instead of failing the test.
type recorder struct{ said []string }

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// Fatalf panics to end the test; caught recovers.
func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	panic(r)
}

// caught returns the failures of a test.
func caught(test func(*recorder)) (said []string) {
	r := &recorder{}
	defer func() {
		if cause := recover(); cause != nil && cause != any(r) {
			panic(cause)
		}
		said = r.said
	}()
	test(r)
	return r.said
}
