package app

import (
	"context"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// hurry is the pace of managers in tests.
var hurry = pace{kinds: 100 * time.Millisecond, candidate: 100 * time.Millisecond}

// optionsOf returns options for a manager beside others, without endpoints, for one namespace, or for all.
func optionsOf(namespace string, controllers ...string) Options {
	o := DefaultOptions()
	o.Namespace, o.SkipNameValidation, o.pace = namespace, true, hurry
	o.HealthProbeBindAddress, o.MetricsBindAddress = "0", "0"
	if len(controllers) > 0 {
		o.Controllers = controllers
	}
	return o
}

// running is a manager that runs until it is stopped, at the latest when the test ends.
type running struct {
	*App

	stop func()
}

// run runs a manager.
func run(t *testing.T, o Options) *running {
	t.Helper()
	return runAs(t, env.Get(t).Config, o)
}

// runAs runs a manager with a connection of its own.
func runAs(t *testing.T, cfg *rest.Config, o Options) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a, err := New(ctx, cfg, o)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stop := sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("running the manager: %v", err)
		}
	})
	t.Cleanup(stop)
	return &running{a, stop}
}
