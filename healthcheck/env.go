package healthcheck

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Needs says what a check needs beside the object. It is a set: NeedsSource|NeedsTarget.
type Needs uint8

// What a check may need.
const (
	// NeedsSource is for the cluster that the object is in.
	NeedsSource Needs = 1 << iota
	// NeedsTarget is for another cluster, that the object is about. The
	// registration says which, by Registration.Targets.
	NeedsTarget
	// NeedsParent is for the object that this one belongs to. The registration says
	// which, by Registration.Parent.
	NeedsParent
)

// has reports whether all of what is in n too.
func (n Needs) has(what Needs) bool { return n&what == what }

// Env is what a check gets beside the object: what it has declared to need, made
// for this run. What is in it may be used by several checks at once.
type Env struct {
	// Source reads from the cluster that the object is in.
	Source client.Reader
	// Target reads from the cluster that the object is about.
	Target client.Reader
	// Parent is the object that this one belongs to. It must not be changed.
	Parent client.Object
}

// Targets gives clients of the clusters that objects are about.
type Targets[T any] interface {
	// Target returns a client of the cluster that obj is about. It is called at most
	// once in each run of an object, and only if a check needs it, within the time
	// of that check. It should be quick: a client that is made anew each time costs
	// a TLS handshake and the discovery of all kinds. An error makes the checks that
	// need it Unknown, with ReasonTargetUnavailable; others are not affected. So does
	// an *UnavailableError of the client.
	//
	// Implementations must be safe for concurrent use.
	Target(ctx context.Context, obj T) (client.Reader, error)
}

// TargetsFunc adapts a function to Targets.
type TargetsFunc[T any] func(ctx context.Context, obj T) (client.Reader, error)

// Target calls f.
func (f TargetsFunc[T]) Target(ctx context.Context, obj T) (client.Reader, error) { return f(ctx, obj) }

// UnavailableError says that a target did not answer, or refused the credential. A check
// that cannot be carried out for that has ReasonTargetUnavailable: implementations of
// Targets may find out only with the first read. Its text must be the same for the same
// problem.
type UnavailableError struct {
	// Target names the target.
	Target string
	// Cause says in a few words what is wrong with it, as "does not answer in time".
	Cause string
	// Err is what happened, with all its details. It may differ from one try to the next.
	Err error
}

// Error implements error.
func (e *UnavailableError) Error() string { return fmt.Sprintf("cluster %s %s", e.Target, e.Cause) }

// Unwrap returns what happened.
func (e *UnavailableError) Unwrap() error { return e.Err }

// surroundings meet the needs of the checks of one run, each need once.
type surroundings struct {
	source client.Reader
	target func(context.Context) (client.Reader, error)
	parent func(context.Context) (client.Object, error)
}

// surround makes the surroundings of a run.
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

// once makes the first call count for all, whatever comes of it: that it panicked, or did
// not return in time, is an answer too, and nobody gets none instead of it.
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

// env meets needs.
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
