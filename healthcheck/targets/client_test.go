package targets_test

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// clientOf returns the client of a target as a check that needs a client.Client sees it.
func clientOf(t *testing.T, config *rest.Config) client.Client {
	t.Helper()
	c := &targets.Clients[string]{Resolve: one(at("c", "1", config))}
	t.Cleanup(c.Close)
	reader, err := c.Target(t.Context(), "o")
	if err != nil {
		t.Fatal(err)
	}
	return reader.(client.Client)
}

// calls returns calls of all methods of a client, in an order in which they succeed.
func calls(t *testing.T, c client.Client, namespace string) []func() error {
	t.Helper()
	ctx, meta := t.Context(), metav1.ObjectMeta{Namespace: namespace, Name: "it"}
	pod := &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	same := client.RawPatch("application/merge-patch+json", []byte("{}"))
	by := client.FieldOwner("me")
	return []func() error{
		func() error { return c.Create(ctx, pod) },
		func() error { return c.Get(ctx, client.ObjectKeyFromObject(pod), pod) },
		func() error { return c.List(ctx, &corev1.PodList{}, client.InNamespace(namespace)) },
		func() error { return c.Update(ctx, pod) },
		func() error { return c.Patch(ctx, pod, same) },
		func() error { return c.Apply(ctx, corev1ac.ConfigMap("applied", namespace), by) },
		func() error { return c.Status().Update(ctx, pod) },
		func() error { return c.Status().Patch(ctx, pod, same) },
		func() error { return c.Status().Apply(ctx, corev1ac.Pod("it", namespace), by) },
		func() error { return c.SubResource("ephemeralcontainers").Get(ctx, pod, &corev1.Pod{}) },
		func() error {
			binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: "n"}}
			return c.SubResource("binding").Create(ctx, pod, binding)
		},
		func() error { return c.Delete(ctx, pod) },
		func() error { return c.DeleteAllOf(ctx, &corev1.ConfigMap{}, client.InNamespace(namespace)) },
	}
}

// TestClient: all methods work as in other clients.
func TestClient(t *testing.T) {
	e := env.Get(t)
	c := clientOf(t, e.Config)
	for i, call := range calls(t, c, e.Namespace(t)) {
		if err := call(); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	if kind, err := c.GroupVersionKindFor(&corev1.Pod{}); err != nil || kind.Kind != "Pod" {
		t.Errorf("a Pod is a %s, and error %v", kind, err)
	}
	if namespaced, err := c.IsObjectNamespaced(&corev1.Node{}); err != nil || namespaced {
		t.Errorf("a Node is in a namespace: %t, and error %v", namespaced, err)
	}
	if !c.Scheme().Recognizes(corev1.SchemeGroupVersion.WithKind("Pod")) {
		t.Error("the scheme does not know Pods")
	}
}

// TestClientOfDeadTarget: any call asks a dead target once.
func TestClientOfDeadTarget(t *testing.T) {
	s := serve(t, refuse)
	c := clientOf(t, s.config())
	for i, call := range calls(t, c, "default") {
		if _, ok := errors.AsType[*healthcheck.UnavailableError](call()); !ok {
			t.Errorf("call %d has another error", i)
		}
	}
	if got := s.count("/version"); got != 1 {
		t.Errorf("the target was asked %d times", got)
	}
	if _, err := c.IsObjectNamespaced(&corev1.Node{}); err == nil {
		t.Error("without a connection it knows the kinds")
	}
}
