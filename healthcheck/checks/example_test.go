package checks_test

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Shop is a custom resource that has a Deployment behind it.
type Shop struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`
}

// DeepCopyObject implements runtime.Object.
func (s *Shop) DeepCopyObject() runtime.Object {
	c := *s
	s.DeepCopyInto(&c.ObjectMeta)
	return &c
}

// Ten lines derive a condition of a custom resource from its Deployment, and update it with
// each change of the verdict.
func Example() {
	backend := func(s *Shop) *appsv1.Deployment {
		return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name + "-backend"}}
	}
	check := checks.One("backend", checks.Source, backend, checks.Deployment)
	shops := healthcheck.Registration[*Shop]{
		Name:       "shops",
		Conditions: []healthcheck.ConditionChecks[*Shop]{healthcheck.NewCondition("Healthy", check)},
		Watches:    []healthcheck.Watch{{Object: &appsv1.Deployment{}, Predicates: []predicate.Predicate{checks.VerdictChanged(checks.Deployment)}}},
	}

	// The engine does this in each run.
	cluster := fake.NewFakeClient(&appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: "books-backend", Generation: 1},
		Status: appsv1.DeploymentStatus{ObservedGeneration: 1, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse, Reason: "MinimumReplicasUnavailable"},
		}},
	})
	for _, name := range []string{"books", "toys"} {
		in := healthcheck.Input[*Shop]{Object: &Shop{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: name}}, Env: healthcheck.Env{Source: cluster}}
		r, err := shops.Conditions[0].Checks[0].Check.Check(context.Background(), in)
		fmt.Println(r.Status, r.Reason, err)
		fmt.Println(r.Message)
	}
	// Output:
	// False NotAvailable <nil>
	// Deployment mall/books-backend: Condition Available is False (MinimumReplicasUnavailable)
	// False NotFound <nil>
	// Deployment mall/toys-backend is not found
}

// Each checks a list of objects. Here an empty list is Skipped.
func ExampleEach() {
	workers := func(s *Shop) (client.ObjectList, []client.ListOption) {
		return &corev1.PodList{}, []client.ListOption{client.InNamespace(s.Namespace), client.MatchingLabels{"shop": s.Name}}
	}
	check := checks.Each("workers", checks.Source, workers, checks.Pod, checks.MissingIsSkipped())

	pod := func(name string, phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: name, Labels: map[string]string{"shop": "books"}}, Status: corev1.PodStatus{Phase: phase}}
	}
	cluster := fake.NewFakeClient(pod("a", corev1.PodRunning), pod("b", corev1.PodFailed))
	for _, name := range []string{"books", "toys"} {
		r, _ := check.Check.Check(context.Background(), healthcheck.Input[*Shop]{
			Object: &Shop{ObjectMeta: metav1.ObjectMeta{Namespace: "mall", Name: name}}, Env: healthcheck.Env{Source: cluster},
		})
		fmt.Println(r.Status, r.Reason, r.Message)
	}
	// Output:
	// False Failed Not healthy: Pod mall/b: Phase is Failed
	// Skipped NotFound No Pod is found
}

// A load balancer takes time to get its ingress. Only that is tolerated.
func ExampleTolerate() {
	service := &corev1.Service{Spec: corev1.ServiceSpec{Type: corev1.ServiceTypeLoadBalancer}}
	patient := checks.Tolerate(5*time.Minute, checks.Service, checks.ReasonNoIngress)
	fmt.Println(checks.Service(service).Status)
	fmt.Println(patient(service).Status, patient(service).Within)
	// Output:
	// False
	// Progressing 5m0s
}

// A Deployment that rolls out should stay available.
func ExampleDeploymentRolledOut() {
	rolling := &appsv1.Deployment{
		Spec: appsv1.DeploymentSpec{Replicas: new(int32(3))},
		Status: appsv1.DeploymentStatus{Replicas: 4, UpdatedReplicas: 2, Conditions: []appsv1.DeploymentCondition{
			{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
		}},
	}
	fmt.Println(checks.Deployment(rolling).Status)
	r := checks.DeploymentRolledOut(rolling)
	fmt.Println(r.Status, r.Message, r.Within)
	// Output:
	// True
	// Progressing Fewer than 3 replicas are updated 10m0s
}
