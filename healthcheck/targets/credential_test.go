package targets_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// TestRefusedCredential: after a refusal, Config is called again without a new version.
func TestRefusedCredential(t *testing.T) {
	var valid atomic.Value
	valid.Store("1")
	s := serve(t, func(s *server, w http.ResponseWriter, r *http.Request) bool {
		return r.Header.Get("Authorization") != "Bearer "+valid.Load().(string) && refuse(s, w, r)
	})
	issue := func(context.Context) (*rest.Config, error) {
		config := s.config()
		config.BearerToken = valid.Load().(string)
		return config, nil
	}
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(targets.Access{Key: "c", Config: issue}), Options: targets.Options{Clock: clock}}
	defer c.Close()
	if err := get(t, c, "o"); err != nil {
		t.Fatal(err)
	}
	long := reader(t, c, "o")
	valid.Store("2")
	for range 2 {
		if got := text(get(t, c, "o")); got != "cluster c refuses the credential" {
			t.Errorf("the error is %q", got)
		}
	}
	clock.Step(firstBackoff)
	// A client that was kept for long gets no new configuration, but does not panic either.
	if got := text(long.Get(t.Context(), aConfigMap, empty())); got != "cluster c refuses the credential" {
		t.Errorf("the error is %q", got)
	}
	if err := get(t, c, "o"); err != nil {
		t.Errorf("with a new credential: %v", err)
	}
	if err := long.Get(t.Context(), aConfigMap, empty()); err != nil {
		t.Errorf("with a new credential, by the old client: %v", err)
	}
}

// TestNoConfiguration: Target returns the error of Config, and calls it again after a
// back-off.
func TestNoConfiguration(t *testing.T) {
	s := serve(t, nil)
	var asked atomic.Int32
	clock := newClock()
	c := &targets.Clients[string]{Resolve: one(targets.Access{Key: "c", Config: func(context.Context) (*rest.Config, error) {
		switch asked.Add(1) {
		case 1:
			return nil, errors.New("no token")
		case 2:
			return &rest.Config{Host: "https://x", ExecProvider: nil, TLSClientConfig: rest.TLSClientConfig{CAData: []byte("x")}}, nil
		}
		return s.config(), nil
	}}), Options: targets.Options{Clock: clock}}
	defer c.Close()
	for i, want := range []string{"making a client of cluster c: no token", "making a client of cluster c: reading its configuration: "} {
		for range 3 {
			if _, err := c.Target(t.Context(), "o"); !strings.HasPrefix(text(err), want) {
				t.Errorf("the error is %v, want %q", err, want)
			}
		}
		if got := int(asked.Load()); got != i+1 {
			t.Errorf("asked %d times, want %d", got, i+1)
		}
		clock.Step(firstBackoff << i)
	}
	if err := get(t, c, "o"); err != nil {
		t.Error(err)
	}
	if _, err := (&targets.Clients[string]{Resolve: func(context.Context, string) (targets.Access, error) {
		return targets.Access{}, errors.New("no such object")
	}}).Target(t.Context(), "o"); text(err) != "no such object" {
		t.Errorf("the error of Resolve became %v", err)
	}
}

// TestPanicOfConfig: a panic leaves nothing locked.
func TestPanicOfConfig(t *testing.T) {
	s := serve(t, nil)
	panics := true
	c := &targets.Clients[string]{Resolve: one(targets.Access{Key: "c", Config: func(context.Context) (*rest.Config, error) {
		if panics {
			panic("on purpose")
		}
		return s.config(), nil
	}})}
	defer c.Close()
	func() {
		defer func() { _ = recover() }()
		_, _ = c.Target(t.Context(), "o")
		t.Error("the panic was swallowed")
	}()
	panics = false
	if err := get(t, c, "o"); err != nil {
		t.Error(err)
	}
}
