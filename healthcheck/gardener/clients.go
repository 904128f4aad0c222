package gardener

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// takerOf returns the value into which the clients of a check are injected.
func takerOf(check HealthCheck) any {
	if wrapped, ok := check.(interface{ taker() any }); ok {
		return wrapped.taker()
	}
	return check
}

// needsOf returns what a check needs, according to its methods.
func needsOf(check HealthCheck) healthcheck.Needs {
	var needs healthcheck.Needs
	switch takerOf(check).(type) {
	case SourceClient, SeedClient:
		needs |= healthcheck.NeedsSource
	}
	switch takerOf(check).(type) {
	case TargetClient, ShootClient:
		needs |= healthcheck.NeedsTarget
	}
	return needs
}

// inject gives a check its clients.
func inject(check HealthCheck, source, target client.Client) {
	taker := takerOf(check)
	if t, ok := taker.(SourceClient); ok {
		t.InjectSourceClient(source)
	}
	if t, ok := taker.(SeedClient); ok {
		t.InjectSeedClient(source)
	}
	if t, ok := taker.(TargetClient); ok {
		t.InjectTargetClient(target)
	}
	if t, ok := taker.(ShootClient); ok {
		t.InjectShootClient(target)
	}
}

// errNoWriter says that a client cannot write, as checks of Gardener require.
var errNoWriter = errors.New("is not a client.Client, as checks of Gardener require")

// clientsOf returns the clients of a run. One that the check does not need is nil.
func clientsOf(env healthcheck.Env) (source, target client.Client, err error) {
	if env.Source != nil {
		var ok bool
		if source, ok = env.Source.(client.Client); !ok {
			return nil, nil, fmt.Errorf("source cluster: %T %w", env.Source, errNoWriter)
		}
	}
	if env.Target != nil {
		if unreachable, ok := env.Target.(unavailable); ok {
			return nil, nil, unreachable.err
		}
		var ok bool
		if target, ok = env.Target.(client.Client); !ok {
			return nil, nil, fmt.Errorf("target cluster: %T %w", env.Target, errNoWriter)
		}
	}
	return source, target, nil
}

// unavailable replaces the client of a target that cannot be reached. So the condition has
// Gardener's words for it, and the next attempt is after the sync period.
type unavailable struct {
	target string
	err    error
}

// Get implements client.Reader, for checks that are not Gardener's.
func (u unavailable) Get(context.Context, client.ObjectKey, client.Object, ...client.GetOption) error {
	return u.unavailable()
}

// List implements client.Reader.
func (u unavailable) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return u.unavailable()
}

func (u unavailable) unavailable() error {
	return &healthcheck.UnavailableError{Target: u.target, Cause: "cannot be asked: " + u.err.Error(), Err: u.err}
}
