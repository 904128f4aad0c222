package checks_test

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Two questions about a StatefulSet in the middle of a rolling update make two conditions.
func ExampleStatefulSetRolledOut() {
	set := &appsv1.StatefulSet{
		Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3))},
		Status: appsv1.StatefulSetStatus{
			Replicas: 3, ReadyReplicas: 2, UpdatedReplicas: 1, CurrentRevision: "db-1", UpdateRevision: "db-2",
		},
	}
	rolledOut, available := checks.StatefulSetRolledOut(set), checks.StatefulSetAvailable(set)
	fmt.Println(rolledOut.Status, rolledOut.Reason, rolledOut.Message)
	fmt.Println(available.Status, available.Reason)
	// Output:
	// Progressing RollingOut Fewer than 3 replicas are ready
	// True Healthy
}

// A Namespace depends on a Service that must have a ready endpoint.
func ExampleServiceEndpoints() {
	web := func(ns *corev1.Namespace) *corev1.Service {
		return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "web"}}
	}
	condition := healthcheck.NewCondition("Reachable", checks.ServiceEndpoints("web", checks.Source, web, checks.MissingIsSkipped()))
	fmt.Println(condition.Type, condition.Checks[0].Reads)
	// Output: Reachable [EndpointSlice]
}
