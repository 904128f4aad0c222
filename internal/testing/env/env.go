// Package env gives tests a real API server, with the kinds that the module works on.
//
// It is part of internal/testing. A package whose tests need the API server calls Main from its TestMain and Get from
// its tests. The server starts at the first Get, so pure tests cost nothing. All tests of a package share it; each
// uses its own namespaces.
//
// Only the API server runs, and no controllers. In particular, namespaces are never emptied, and owner references
// delete nothing.
package env

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Env is a running API server.
type Env struct {
	// Config reaches the API server as an administrator, without a rate limit.
	Config *rest.Config
	// Client reads and writes without a cache.
	Client client.Client
	// Scheme knows the kinds of Kubernetes, the kinds that base adds, and those added by WithScheme.
	Scheme *runtime.Scheme

	stop func() error
}

// Get returns the API server of this test binary and starts it if it is not running yet. With -short it skips the
// test.
func Get(t testing.TB) *Env {
	t.Helper()
	if testing.Short() {
		t.Skip("it needs the API server, which -short leaves out")
	}
	e, err := shared.get()
	if err != nil {
		t.Fatalf("starting the API server for tests: %v", err)
	}
	return e
}

// Namespace creates a namespace with a unique name and returns the name. It is never deleted: the API server does not
// live long, and without a namespace controller a deletion would not finish.
func (e *Env) Namespace(t testing.TB) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	if err := e.Client.Create(t.Context(), ns); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	return ns.Name
}
