package healthcheck

import (
	"context"
	"time"
)

// conclusion is what conclude makes of results, or says that it has panicked.
func (r run[T]) conclusion(ctx context.Context, c ConditionChecks[T], results []Result, current *Condition) (Result, error) {
	result, err := guarded(ctx, func(context.Context) (Result, error) { return conclude(r.in.Now, c, results, current), nil })
	if err != nil {
		err = describe("making condition "+c.Type, err)
		return Result{Status: Unknown, Reason: reasonOf(err), Message: err.Error()}, err
	}
	return result, nil
}

// conclude merges results, and puts what they say into words.
func conclude[T any](now time.Time, c ConditionChecks[T], results []Result, current *Condition) Result {
	merged := mergeBy(c.ProgressRule, now, results, current)
	if c.Summary == nil && c.Conclude == nil {
		return merged
	}
	named := make([]NamedResult, len(results))
	for i, result := range results {
		named[i] = NamedResult{c.Checks[i].Name, result.At(now)}
	}
	if c.Summary != nil {
		merged.Message = c.Summary(named, merged)
	}
	if c.Conclude == nil {
		return merged
	}
	merged = c.Conclude(named, merged)
	if !merged.Status.Valid() {
		return merged.At(now)
	}
	return merged
}
