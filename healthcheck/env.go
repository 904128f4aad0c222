package healthcheck

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Needs says what a check needs besides the object. It is a set: NeedsSource|NeedsTarget.
type Needs uint8

// What a check may need besides its object.
const (
	// NeedsSource asks for the cluster that the object is in.
	NeedsSource Needs = 1 << iota
	// NeedsTarget asks for another cluster, the target of the object. Registration.Targets
	// connects to it.
	NeedsTarget
	// NeedsParent asks for the object that this one belongs to. Registration.Parent returns
	// it.
	NeedsParent
)

// has reports whether n contains all of what.
func (n Needs) has(what Needs) bool { return n&what == what }

// Env is what a check gets besides the object: what it declared in its Needs, made for this
// run. Several checks may use it at once.
type Env struct {
	// Source reads from the cluster that the object is in.
	Source client.Reader
	// Target reads from the target cluster of the object.
	Target client.Reader
	// Parent is the object that this one belongs to. It must not be changed.
	Parent client.Object
}

// Targets returns clients of the target clusters of objects.
type Targets[T any] interface {
	// Target returns a client of the target cluster of obj. The engine calls it at most
	// once in each run of an object, only if a check needs it, and within the timeout of
	// that check. It should be quick: a new client for each call costs a TLS handshake and
	// the discovery of all kinds. After an error, the checks that need the client are
	// Unknown with ReasonTargetUnavailable; others are not affected. An *UnavailableError
	// from the client has the same effect.
	//
	// Implementations must be safe for concurrent use.
	Target(ctx context.Context, obj T) (client.Reader, error)
}

// TargetsFunc adapts a function to Targets.
type TargetsFunc[T any] func(ctx context.Context, obj T) (client.Reader, error)

// Target calls f.
func (f TargetsFunc[T]) Target(ctx context.Context, obj T) (client.Reader, error) { return f(ctx, obj) }

// UnavailableError says that a target did not answer, or refused the credential. A check
// that fails with it gets ReasonTargetUnavailable: an implementation of Targets may find
// out only at the first read. Its text must be the same for the same problem.
type UnavailableError struct {
	// Target is the name of the target.
	Target string
	// Cause is a short phrase for what is wrong with the target, such as "does not answer
	// in time".
	Cause string
	// Err is the underlying error with all its details. It may differ between attempts.
	Err error
}

// Error implements error.
func (e *UnavailableError) Error() string { return fmt.Sprintf("cluster %s %s", e.Target, e.Cause) }

// Unwrap returns the underlying error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// surroundings provide what the checks of one run need, each need once.
type surroundings struct {
	source client.Reader
	target func(context.Context) (client.Reader, error)
	parent func(context.Context) (client.Object, error)
}

// surround returns the surroundings of a run.
func (r *Reconciler[T]) surround(obj T, hung *hungCalls) surroundings {
	s := surroundings{source: r.Source}
	if s.source == nil {
		s.source = r.Client
	}
	timeout := cmp.Or(r.CheckTimeout, DefaultCheckTimeout)
	if r.Targets != nil {
		s.target = once(hung, r.named(obj, separator+"target"), timeout, func(ctx context.Context) (client.Reader, error) { return r.Targets.Target(ctx, obj) })
	}
	if r.Parent != nil {
		s.parent = once(hung, r.named(obj, separator+"parent"), timeout, func(ctx context.Context) (client.Object, error) { return r.Parent(ctx, obj) })
	}
	return s
}

// once returns a function that makes the call once and repeats its answer to everyone, even
// if that is a panic or a timeout.
func once[A any](hung *hungCalls, name call, timeout time.Duration, foreign func(context.Context) (A, error)) func(context.Context) (A, error) {
	var (
		first  sync.Once
		answer A
		err    error
	)
	return func(ctx context.Context) (A, error) {
		first.Do(func() { answer, err = boundedOnce(ctx, hung, name, timeout, foreign) })
		return answer, err
	}
}

// env returns what needs asks for.
func (s surroundings) env(ctx context.Context, needs Needs) (Env, error) {
	var (
		env Env
		err error
	)
	if needs.has(NeedsSource) {
		env.Source = s.source
	}
	if needs.has(NeedsTarget) {
		if env.Target, err = s.target(ctx); err != nil {
			return Env{}, &unmetError{ReasonTargetUnavailable, "reaching the target cluster", err}
		}
	}
	if needs.has(NeedsParent) {
		if env.Parent, err = s.parent(ctx); err != nil {
			return Env{}, &unmetError{ReasonParentUnavailable, "getting the parent", err}
		}
	}
	return env, nil
}
