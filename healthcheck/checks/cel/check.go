package cel

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Check checks the object itself by a program.
//
// The scheme provides apiVersion and kind of a typed object, which has neither after it was
// read. It can be nil if no expression uses them, or T is unstructured.
func Check[T client.Object](name string, p *Program, scheme *runtime.Scheme) healthcheck.NamedCheck[T] {
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		return judge(ctx, p, in.Object, scheme)
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: healthcheck.CheckFunc[T](check)}
}

// For returns a program as a rule of package checks, for objects that the checked object
// depends on. The scheme is as in Check. The rule has no timeout; the cost limit bounds its
// time.
func For[O client.Object](p *Program, scheme *runtime.Scheme) checks.Rule[O] {
	return func(obj O) healthcheck.Result {
		result, err := judge(context.Background(), p, obj, scheme)
		if err != nil {
			return undecided(err)
		}
		return result
	}
}

// judge is EvaluateObject for the engine. It turns an expression's error into a result:
// after an error the engine would retry, but nothing changes until the object does.
func judge(ctx context.Context, p *Program, obj client.Object, scheme *runtime.Scheme) (healthcheck.Result, error) {
	result, err := p.EvaluateObject(ctx, obj, scheme)
	if _, ok := errors.AsType[*ExpressionError](err); ok {
		return undecided(err), nil
	}
	return result, err
}

func undecided(err error) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: healthcheck.ReasonCheckFailed, Message: err.Error()}
}

// EvaluateObject is Evaluate for typed objects too. The scheme is as in Check.
func (p *Program) EvaluateObject(ctx context.Context, obj client.Object, scheme *runtime.Scheme) (healthcheck.Result, error) {
	converted, err := toUnstructured(obj, scheme)
	if err != nil {
		return healthcheck.Result{}, err
	}
	return p.Evaluate(ctx, converted)
}

// toUnstructured returns the object as its YAML would be. It does not change the object.
func toUnstructured(obj client.Object, scheme *runtime.Scheme) (*unstructured.Unstructured, error) {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u, nil
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("converting %T: %w", obj, err)
	}
	u := &unstructured.Unstructured{Object: fields}
	if u.GetKind() != "" || scheme == nil {
		return u, nil
	}
	gvk, err := apiutil.GVKForObject(obj, scheme)
	if err != nil {
		return nil, fmt.Errorf("finding the kind of %T: %w", obj, err)
	}
	u.SetGroupVersionKind(gvk)
	return u, nil
}
