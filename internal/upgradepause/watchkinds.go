package upgradepause

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

const (
	// askAgain is how long an answer about a kind counts.
	askAgain = 30 * time.Second
	// startTime is how long an answer may take, and after it the first list of a kind, until it counts as unreadable.
	startTime = 10 * time.Second
)

// opener watches a kind. It returns an error until the kind has been read, and while it cannot be read. An object without a Go type gets the version
// that is served.
type opener func(ctx context.Context, obj client.Object) error

// kinds are the kinds that the signals read. The manager's cache has each of them from the first time that it is needed.
//
// That cache waits for ever for a kind that it may not list, and every controller that starts waits for the whole cache. When a kind cannot be read any
// more, the cache goes on with what it has read. So the API server is asked first, and from time to time afterwards.
type kinds struct {
	watches   scaffold.Watches
	live      client.Reader
	scheme    *runtime.Scheme
	namespace string
	clock     clock.PassiveClock
	whom      handler.MapFunc
	filter    predicate.Predicate

	// answers are of type *answer, by GroupKind.
	answers sync.Map
}

// answer is what the API server last said about a kind: the version that is served, or why it cannot be read.
type answer struct {
	mu   sync.Mutex
	kind schema.GroupVersionKind
	err  error
	// at is when it was last asked, and answered reports that it has said something since the start.
	at       time.Time
	answered bool
	// failed is how often in a row it has said that the kind cannot be read.
	failed int
	// since is when the watch of this version began.
	since time.Time
}

// open is the opener of a manager.
func (k *kinds) open(ctx context.Context, obj client.Object) error {
	kind, err := apiutil.GVKForObject(obj, k.scheme)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	known, _ := k.answers.LoadOrStore(kind.GroupKind(), &answer{kind: kind})
	now := known.(*answer)
	if last, due := now.due(k.clock.Now()); due {
		// Nobody waits for the one who asks.
		_, anyVersion := obj.(*unstructured.Unstructured)
		served, err := k.list(ctx, last, anyVersion)
		k.take(ctx, now, served, err)
	}
	return k.opened(ctx, now, obj)
}

// opened watches a kind that can be read, and reports whether the cache has read it.
func (k *kinds) opened(ctx context.Context, now *answer, obj client.Object) error {
	now.mu.Lock()
	defer now.mu.Unlock()
	switch {
	case !now.answered:
		return pause.ErrStarting
	case now.err != nil:
		return now.err
	}
	obj.GetObjectKind().SetGroupVersionKind(now.kind)
	if err := k.watch(ctx, now.kind, obj); err != nil {
		return err
	}
	if now.since.IsZero() {
		now.since = k.clock.Now()
	}
	informer, err := k.watches.Cache.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
	switch {
	case err != nil:
		return fmt.Errorf("reading %s: %w", now.kind.Kind, err)
	case informer.HasSynced():
		return nil
	case k.clock.Since(now.since) < startTime:
		return pause.ErrStarting
	}
	return fmt.Errorf("the objects of %s of %s cannot be listed", now.kind.Kind, now.kind.GroupVersion())
}

// due reports whether it is time to ask again, about which version. Then the caller must.
func (a *answer) due(now time.Time) (schema.GroupVersionKind, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.at.IsZero() && now.Sub(a.at) < askAgain {
		return a.kind, false
	}
	a.at = now
	return a.kind, true
}

// take takes in an answer of the API server. While it is away, what it said last still counts; so does that a kind can be read, until it has said
// twice that it cannot: it may be starting itself.
func (k *kinds) take(ctx context.Context, last *answer, served schema.GroupVersionKind, err error) {
	last.mu.Lock()
	defer last.mu.Unlock()
	first, what := !last.answered, last.kind.Kind+" of "+last.kind.GroupVersion().String()+" cannot be listed"
	last.answered = true
	if err == nil {
		if served != last.kind {
			k.watches.End(ctx, last.kind)
			last.since = time.Time{}
		}
		last.kind, last.err, last.failed = served, nil, 0
		return
	}
	if scaffold.Answered(err) || meta.IsNoMatchError(err) || errors.Is(err, context.DeadlineExceeded) {
		last.failed++
	}
	switch {
	case !first && last.err == nil && last.failed < 2:
	case apierrors.IsForbidden(err):
		last.err = errors.New(what + ": is the permission missing?")
	case scaffold.Answered(err), errors.Is(err, context.DeadlineExceeded):
		// Not the error itself: it may say "not found", but of the kind.
		last.err = errors.New(what + ": " + err.Error())
	case first, meta.IsNoMatchError(err):
		last.err = fmt.Errorf("%s: %w", what, err)
	}
}

// list asks the API server for one object of a kind, and returns the version that is served.
func (k *kinds) list(ctx context.Context, kind schema.GroupVersionKind, anyVersion bool) (schema.GroupVersionKind, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	one := &metav1.PartialObjectMetadataList{}
	one.SetGroupVersionKind(kind)
	read := func() error { return k.live.List(ctx, one, client.InNamespace(k.namespace), client.Limit(1)) }
	if !anyVersion {
		return kind, read()
	}
	if err := scaffold.AsServed(k.watches.Mapper, one, read); err != nil {
		return kind, err
	}
	return one.GroupVersionKind(), nil
}

// watch begins to watch a kind, with its index, unless it is watched already.
func (k *kinds) watch(ctx context.Context, kind schema.GroupVersionKind, obj client.Object) error {
	if !k.watches.Lack(kind) {
		return nil
	}
	if _, ok := obj.(*clusterv1.Machine); ok {
		if err := mhcspec.AddTo(ctx, k.watches.Cache, Indexes()); err != nil {
			return err
		}
	}
	// The watch looks at its object while the caller fills its own.
	return k.watches.BeginAs(kind, obj.DeepCopyObject().(client.Object), handler.EnqueueRequestsFromMapFunc(k.whom), k.filter)
}
