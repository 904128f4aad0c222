package healthcheck

import "time"

// conclude makes one result from those of a condition, by Merge, Summary and Conclude in this order. It is pure, as they are.
func conclude[T any](now time.Time, c ConditionChecks[T], results []Result, current *Condition) Result {
	merged := Merge(now, results...)
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
	return c.Conclude(Findings{named, merged, current, now}).At(now)
}
