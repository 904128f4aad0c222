package healthchecktest

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Sound makes all assertions of this package about each check of the registration and each
// object, in their current state.
func (k *Kit[T]) Sound() {
	k.t.Helper()
	for _, key := range k.keys() {
		obj := k.reconciler.New()
		if err := k.Client.Get(context.Background(), key, obj); err != nil {
			k.t.Fatalf("getting %s: %v", key, err)
		}
		env, err := k.env(obj)
		if err != nil {
			k.t.Fatalf("meeting the needs of the checks of %s: %v", key, err)
		}
		k.each(obj, env)
	}
}

// each makes the assertions for all checks of one object.
func (k *Kit[T]) each(obj T, env healthcheck.Env) {
	k.t.Helper()
	for _, c := range k.reconciler.Conditions {
		in := healthcheck.Input[T]{Object: obj, Now: k.Now(), Env: env}
		in.Current = k.current(obj, c)
		for _, check := range c.Checks {
			sound(k.t, check, in, k.Store.normalize)
		}
	}
}

// current returns the stored condition in the checks' polarity; nil if there is none.
func (k *Kit[T]) current(obj T, c healthcheck.ConditionChecks[T]) *healthcheck.Condition {
	current := k.Condition(obj, c.Type)
	switch {
	case current.Type == "":
		return nil
	case c.Negative && current.Status == healthcheck.True:
		current.Status = healthcheck.False
	case c.Negative && current.Status == healthcheck.False:
		current.Status = healthcheck.True
	}
	return &current
}

// env returns all that the registration can provide.
func (k *Kit[T]) env(obj T) (healthcheck.Env, error) {
	env := healthcheck.Env{Source: client.Reader(k.Client)}
	if k.reconciler.Source != nil {
		env.Source = k.reconciler.Source
	}
	var err error
	if k.reconciler.Targets != nil {
		if env.Target, err = k.reconciler.Targets.Target(context.Background(), obj); err != nil {
			return env, fmt.Errorf("reaching the target: %w", err)
		}
	}
	if k.reconciler.Parent != nil {
		if env.Parent, err = k.reconciler.Parent(context.Background(), obj); err != nil {
			return env, fmt.Errorf("getting the parent: %w", err)
		}
	}
	return env, nil
}
