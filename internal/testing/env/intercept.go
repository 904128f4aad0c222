package env

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// Intercept returns a client without a cache whose calls go through funcs.
func (e *Env) Intercept(t testing.TB, funcs interceptor.Funcs) client.WithWatch {
	t.Helper()
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		t.Fatalf("making a client: %v", err)
	}
	return interceptor.NewClient(c, funcs)
}
