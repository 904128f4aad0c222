package gardener_test

import (
	"context"
	"fmt"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// cluster is a client that knows which cluster it is for.
type cluster struct {
	client.Client

	name string
}

// report returns what a check was given.
func report(provider, kind string, source, target client.Client) *gardener.SingleCheckResult {
	name := func(c client.Client) string {
		if named, ok := c.(*cluster); ok {
			return named.name
		}
		return fmt.Sprintf("%T", c)
	}
	return &gardener.SingleCheckResult{Status: statusFalse, Detail: fmt.Sprintf("%s %s: %s, %s", provider, kind, name(source), name(target))}
}

// fiveMethods is a check with the interface of the seed.
type fiveMethods struct {
	provider, kind string
	seed, shoot    client.Client
}

func (f *fiveMethods) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(f.provider, f.kind, f.seed, f.shoot), nil
}
func (f *fiveMethods) InjectSeedClient(c client.Client)      { f.seed = c }
func (f *fiveMethods) InjectShootClient(c client.Client)     { f.shoot = c }
func (f *fiveMethods) SetLoggerSuffix(provider, kind string) { f.provider, f.kind = provider, kind }
func (f *fiveMethods) DeepCopy() gardener.HealthCheck        { c := *f; return &c }

// optional is a check of the versions after that, with only the methods that it needs.
type optional struct {
	provider, kind string
	shoot          client.Client
}

func (o *optional) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(o.provider, o.kind, nil, o.shoot), nil
}
func (o *optional) InjectShootClient(c client.Client)     { o.shoot = c }
func (o *optional) SetLoggerSuffix(provider, kind string) { o.provider, o.kind = provider, kind }
func (o *optional) DeepCopy() gardener.HealthCheck        { c := *o; return &c }

// todays is a check of the current version.
type todays struct {
	provider, kind string
	source, target client.Client
}

func (t *todays) Check(context.Context, types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return report(t.provider, t.kind, t.source, t.target), nil
}
func (t *todays) InjectSourceClient(c client.Client)    { t.source = c }
func (t *todays) InjectTargetClient(c client.Client)    { t.target = c }
func (t *todays) SetLoggerSuffix(provider, kind string) { t.provider, t.kind = provider, kind }

// theirResult and theirs correspond to the types in Gardener's own module.
type theirResult struct {
	Status               gardencorev1beta1.ConditionStatus
	Detail               string
	Codes                []gardencorev1beta1.ErrorCode
	ProgressingThreshold *time.Duration
}

type theirCheck struct{ todays }

func (t *theirCheck) Check(ctx context.Context, key types.NamespacedName) (*theirResult, error) {
	r, err := t.todays.Check(ctx, key)
	return &theirResult{Status: r.Status, Detail: r.Detail, Codes: []gardencorev1beta1.ErrorCode{quota}}, err
}

// wrapper passes its clients on to another check.
type wrapper struct {
	inner gardener.HealthCheck
	all   []*todays
	named map[string]*todays
}

func (w *wrapper) Check(ctx context.Context, key types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return w.inner.Check(ctx, key)
}
func (w *wrapper) InjectSourceClient(c client.Client) {
	w.each(func(t *todays) { t.InjectSourceClient(c) })
}
func (w *wrapper) InjectTargetClient(c client.Client) {
	w.each(func(t *todays) { t.InjectTargetClient(c) })
}
func (w *wrapper) SetLoggerSuffix(provider, kind string) {
	w.each(func(t *todays) { t.SetLoggerSuffix(provider, kind) })
}

func (w *wrapper) each(do func(*todays)) {
	do(w.inner.(*todays))
	for _, t := range w.all {
		do(t)
	}
	for _, t := range w.named {
		do(t)
	}
}

func newWrapper() *wrapper {
	return &wrapper{inner: &todays{}, all: []*todays{{}}, named: map[string]*todays{"one": {}}}
}

// valued is a check that is not a pointer, with a pointer inside.
type valued struct{ inner *todays }

func (v valued) Check(ctx context.Context, key types.NamespacedName) (*gardener.SingleCheckResult, error) {
	return v.inner.Check(ctx, key)
}
func (v valued) SetLoggerSuffix(provider, kind string) { v.inner.SetLoggerSuffix(provider, kind) }
