package gardener

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Adapt turns a HealthCheck into a check of package healthcheck, for your own registration.
// The check needs the clusters whose clients the HealthCheck takes; the registration must
// provide them as client.Client.
//
// An error or the answer Unknown makes the result Unknown. Progressing without a threshold
// is False; with one, it has that long from when it was first seen.
func Adapt[T client.Object](name string, check HealthCheck) healthcheck.NamedCheck[T] {
	run := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		answer, err := runOnce(ctx, check, in.Object, in.Env)
		if err != nil {
			return healthcheck.Result{}, err
		}
		return limited(answer.result()), nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: healthcheck.CheckFunc[T](run), Needs: needsOf(check)}
}

// errNoAnswer says that a check returned neither a result nor an error.
var errNoAnswer = errors.New("the check returned no result")

// runOnce runs a check on its own copy.
func runOnce(ctx context.Context, check HealthCheck, obj client.Object, env healthcheck.Env) (*SingleCheckResult, error) {
	source, target, err := clientsOf(env)
	if err != nil {
		return nil, err
	}
	instance := check.DeepCopy()
	inject(instance, source, target)
	instance.SetLoggerSuffix(extensionType(obj), kindOf(obj))
	answer, err := instance.Check(ctx, client.ObjectKeyFromObject(obj))
	if err == nil && answer == nil {
		return nil, errNoAnswer
	}
	return answer, err
}

// result converts the answer to a Result of package healthcheck.
func (r *SingleCheckResult) result() healthcheck.Result {
	result := healthcheck.Result{Status: healthcheck.Status(r.Status), Message: r.Detail, Codes: textsOf(r.Codes)}
	switch r.Status {
	case gardencorev1beta1.ConditionTrue:
		return healthcheck.Result{Status: healthcheck.True, Reason: cmp.Or(r.Reason, ReasonSuccessful)}
	case gardencorev1beta1.ConditionProgressing:
		result.Reason = cmp.Or(r.Reason, ReasonProgressing)
		// Gardener's conditions have one reason for all failures, and its texts show that
		// of the result.
		result.Overdue = result.Reason
		if r.ProgressingThreshold != nil {
			// Stored times, and so the clocks, have a resolution of one second.
			result.Within = max(*r.ProgressingThreshold, time.Second)
		}
	case gardencorev1beta1.ConditionFalse:
		result.Reason = cmp.Or(r.Reason, ReasonUnsuccessful)
	case gardencorev1beta1.ConditionUnknown:
		result.Reason, result.Codes = cmp.Or(r.Reason, ReasonCheckError), nil
		result.Message = cmp.Or(r.Detail, "the check returned Unknown without details")
	default:
		// Not a valid status: the engine reports it.
	}
	return result
}

// limited makes a progress without a threshold a failure. By the clock of a condition it is
// one only if no other check of the condition has a threshold.
func limited(r healthcheck.Result) healthcheck.Result {
	if r.Status == healthcheck.Progressing && r.Within == 0 {
		r.Status = healthcheck.False
		if r.Reason == ReasonProgressing {
			r.Reason = ReasonUnsuccessful
		}
	}
	return r
}

func textsOf(codes []gardencorev1beta1.ErrorCode) []string {
	var texts []string
	for _, code := range codes {
		texts = append(texts, string(code))
	}
	return texts
}

// kindOf returns the kind of an object. A typed one has none in its TypeMeta.
func kindOf(obj client.Object) string {
	if kind := obj.GetObjectKind().GroupVersionKind().Kind; kind != "" {
		return kind
	}
	return reflect.TypeOf(obj).Elem().Name()
}

// nameOf returns the name that a check gives itself, or else its type.
func nameOf(check HealthCheck) string {
	taker := takerOf(check)
	if named, ok := taker.(interface{ Name() string }); ok {
		return named.Name()
	}
	t := reflect.TypeOf(taker)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return cmp.Or(t.Name(), fmt.Sprint(t))
}
