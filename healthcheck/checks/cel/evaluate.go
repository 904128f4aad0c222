package cel

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Evaluate returns the verdict on an object. An error means that an expression could not be
// evaluated; it is an *ExpressionError, or says that the context has ended or that obj is
// empty.
func (p *Program) Evaluate(ctx context.Context, obj *unstructured.Unstructured) (healthcheck.Result, error) {
	if obj == nil || obj.Object == nil {
		return healthcheck.Result{}, errors.New("there is no object to evaluate")
	}
	object := obj.Object
	cause := generationOf(object)
	if outdated(object) {
		return healthcheck.Result{
			Status: healthcheck.Progressing, Reason: checks.ReasonNotObserved, Message: "The latest change of the object has not been observed yet",
			Within: p.within, Cause: cause,
		}, nil
	}
	result, err := p.verdict(ctx, object)
	if err != nil {
		return healthcheck.Result{}, err
	}
	if result.Status == healthcheck.Progressing {
		result.Within, result.Cause = p.within, cause
	}
	return p.describe(ctx, object, result)
}

// verdict evaluates the expressions in the order of Flux; the first that is true counts.
func (p *Program) verdict(ctx context.Context, object map[string]any) (healthcheck.Result, error) {
	inProgress := healthcheck.Result{Status: healthcheck.Progressing, Reason: ReasonInProgress, Message: "The object is in progress"}
	for _, rule := range []struct {
		holds  *expression
		result healthcheck.Result
	}{
		{p.inProgress, inProgress},
		{p.failed, healthcheck.Result{Status: healthcheck.False, Reason: ReasonFailed, Message: "The object has failed"}},
		{p.current, healthcheck.Result{Status: healthcheck.True, Reason: ReasonCurrent}},
	} {
		if rule.holds == nil {
			continue
		}
		holds, err := as[types.Bool](ctx, rule.holds, object, types.BoolType)
		if err != nil {
			return healthcheck.Result{}, err
		}
		if holds {
			return rule.result, nil
		}
	}
	return inProgress, nil
}

// describe adds message and codes to a verdict. If they cannot be evaluated, the verdict
// stands, and its message says why.
func (p *Program) describe(ctx context.Context, object map[string]any, result healthcheck.Result) (healthcheck.Result, error) {
	var missing []string
	if p.message != nil {
		message, err := as[types.String](ctx, p.message, object, types.StringType)
		if err != nil {
			missing = append(missing, err.Error())
		}
		result.Message = cmp.Or(string(message), result.Message)
	}
	if p.codes != nil && result.Status != healthcheck.True {
		codes, err := p.codes.strings(ctx, object)
		if err != nil {
			missing = append(missing, err.Error())
		}
		result.Codes = codes
	}
	if len(missing) == 0 {
		return result, nil
	}
	if ctx.Err() != nil {
		return healthcheck.Result{}, context.Cause(ctx)
	}
	result.Message = strings.TrimSpace(fmt.Sprintf("%s (%s)", result.Message, strings.Join(missing, "; ")))
	return result, nil
}
