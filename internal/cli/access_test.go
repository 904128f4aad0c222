package cli

import (
	"context"
	"errors"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestUser: the user's name comes from the API server, or else from the kubeconfig.
func TestUser(t *testing.T) {
	e := env.Get(t)
	path := env.Kubeconfig(t, e.Config, "root", "")
	silent := interceptor.Funcs{Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
		if _, asks := obj.(*authenticationv1.SelfSubjectReview); asks {
			return errors.New("it does not say")
		}
		return c.Create(ctx, obj, opts...)
	}}
	tests := map[string]struct {
		change    func(*access)
		says, not string
	}{
		"as configured": {func(*access) {}, "admin", "root"},
		"as another":    {func(a *access) { a.overrides.AuthInfo.Impersonate = "alice" }, "alice", "alice"},
		"in a context":  {func(a *access) { a.overrides.CurrentContext = "it" }, "admin", "root"},
		"nobody":        {func(a *access) { a.overrides.CurrentContext = "there is none" }, "", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := &access{kubeconfig: path}
			tt.change(a)
			if got := a.configuredUser(); got != tt.not {
				t.Errorf("the kubeconfig says %q, want %q", got, tt.not)
			}
			config, err := a.config()
			if err != nil {
				return
			}
			c, err := client.NewWithWatch(config, client.Options{Scheme: e.Scheme})
			if err != nil {
				t.Fatal(err)
			}
			if got := a.user(t.Context(), c); got != tt.says {
				t.Errorf("the API server says %q, want %q", got, tt.says)
			}
			if got := a.user(t.Context(), interceptor.NewClient(c, silent)); got != tt.not {
				t.Errorf("without the API server it is %q, want %q", got, tt.not)
			}
		})
	}
}
