package checks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Cluster says which cluster an object is in.
type Cluster int

const (
	// Source is the cluster of the checked object.
	Source Cluster = iota
	// Target is the target cluster of the checked object: see
	// healthcheck.Registration.Targets.
	Target
)

// needs returns the Needs of a check that reads from the cluster.
func (c Cluster) needs() healthcheck.Needs {
	if c == Target {
		return healthcheck.NeedsTarget
	}
	return healthcheck.NeedsSource
}

// reader returns the reader of the cluster.
func (c Cluster) reader(env healthcheck.Env) client.Reader {
	if c == Target {
		return env.Target
	}
	return env.Source
}

// Option changes the result of a check that finds nothing.
type Option func(*settings)

// settings are the sum of the options.
type settings struct {
	missing func(healthcheck.Result) healthcheck.Result
	problem error
}

// errNilOption completes a sentence that names the check.
var errNilOption = errors.New("one of its options is nil")

func settingsOf(options []Option) settings {
	s := settings{missing: func(r healthcheck.Result) healthcheck.Result { return r }}
	for _, option := range options {
		if option == nil {
			option = func(s *settings) { s.problem = errNilOption }
		}
		option(&s)
	}
	return s
}

// MissingIsSkipped makes a check that finds nothing Skipped. Without an option it is False
// with ReasonNotFound.
func MissingIsSkipped() Option {
	return func(s *settings) {
		s.missing = func(r healthcheck.Result) healthcheck.Result {
			r.Status = healthcheck.Skipped
			return r
		}
	}
}

// MissingWithin allows time for an object to appear: a check that finds nothing is
// Progressing, and False after d, or at once if d is zero. Less than a second is refused.
func MissingWithin(d time.Duration) Option {
	return func(s *settings) {
		s.problem = duration("MissingWithin", d, time.Second)
		s.missing = func(r healthcheck.Result) healthcheck.Result {
			if d > 0 {
				r.Status, r.Within, r.Overdue = healthcheck.Progressing, d, r.Reason
			}
			return r
		}
	}
}

// Self checks the object itself by a rule.
func Self[T client.Object](name string, rule Rule[T]) healthcheck.NamedCheck[T] {
	check := func(_ context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		r := rule(in.Object)
		r.Message = clip(oneLine(r.Message))
		return r, nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: checkOf(check, required(rule == nil, errNoRule))}
}

// One checks one object that another one depends on.
//
// Find returns which object: an empty one with its name, and its namespace if it has one;
// an unstructured one also with apiVersion and kind. An empty name means that there is no
// such object. Find gets the checked object and must not change it.
//
// If the object is not found, the result is False with ReasonNotFound, or what an option
// says. If it cannot be read, the check returns an error, which makes it Unknown.
func One[T any, O client.Object](name string, cluster Cluster, find func(T) O, rule Rule[O], options ...Option) healthcheck.NamedCheck[T] {
	named := oneAt(name, cluster, find, func(obj O, _ time.Time) healthcheck.Result { return rule(obj) }, options)
	return also(named, required(rule == nil, errNoRule))
}

// oneAt is One for a rule that depends on the time.
func oneAt[T any, O client.Object](name string, cluster Cluster, find func(T) O, rule func(O, time.Time) healthcheck.Result, options []Option) healthcheck.NamedCheck[T] {
	settings := settingsOf(options)
	missing := settings.missing
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		obj := find(in.Object)
		if obj.GetName() == "" {
			return missing(notFound("No name is given for a " + kindOf(obj))), nil
		}
		what := describe(obj)
		err := cluster.reader(in.Env).Get(ctx, client.ObjectKeyFromObject(obj), obj)
		if apierrors.IsNotFound(err) {
			return missing(notFound(what + " is not found")), nil
		}
		if err != nil {
			return healthcheck.Result{}, fmt.Errorf("getting %s: %w", what, StableError(err))
		}
		return about(what, rule(obj, in.Now)), nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: checkOf(check, required(find == nil, errNoFind), settings.problem), Needs: cluster.needs(), Reads: reads[O]()}
}

// reads returns the kind of O, if the type determines it.
func reads[O any]() []string {
	if t := reflect.TypeFor[O](); t.Kind() == reflect.Pointer && t != reflect.TypeFor[*unstructured.Unstructured]() && t != reflect.TypeFor[*metav1.PartialObjectMetadata]() {
		return []string{t.Elem().Name()}
	}
	return nil
}

func notFound(message string) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.False, Reason: ReasonNotFound, Message: message}
}

// about prefixes the message with what the result is about.
func about(what string, r healthcheck.Result) healthcheck.Result {
	if r.Status != healthcheck.True && r.Status != healthcheck.Skipped {
		r.Message = withDetail(what, cmp.Or(r.Message, r.Reason))
	}
	return r
}

// describe returns the kind and name of an object: "Deployment shop/web". A typed object
// from a client has no kind in its TypeMeta, so kindOf falls back on the Go type.
func describe(obj client.Object) string {
	if obj.GetNamespace() == "" {
		return kindOf(obj) + " " + obj.GetName()
	}
	return kindOf(obj) + " " + obj.GetNamespace() + "/" + obj.GetName()
}

// kindOf returns the kind of an object, or of the items of a list.
func kindOf(obj runtime.Object) string {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	if kind == "" {
		kind = reflect.TypeOf(obj).Elem().Name()
	}
	return strings.TrimSuffix(kind, "List")
}
