package checks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/severity"
)

// maxNamed is how many objects the message of Each names.
const maxNamed = 5

// Each checks all objects of a list that another object depends on.
//
// Find returns an empty list and how to fill it, such as a namespace and
// client.MatchingLabels; an unstructured list also with apiVersion and kind. If the list
// stays empty, the result is False with ReasonNotFound, or what an option says.
//
// The worst result decides, as in healthcheck.Merge. Of several with that status, the first
// by namespace and name gives reason and cause. The message names the objects with that
// status in this order, five at most. It does not count them, because the number would
// change as objects come and go. Objects that the rule skips do not count.
//
// If several objects progress, the clock is that of the one that gives the cause. So an
// object that is stuck is not reported while objects before it keep progressing. Register
// one check for each object if that matters.
func Each[T any, O client.Object](name string, cluster Cluster, find func(T) (client.ObjectList, []client.ListOption), rule Rule[O], options ...Option) healthcheck.NamedCheck[T] {
	settings := settingsOf(options)
	missing := settings.missing
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		list, how := find(in.Object)
		if err := cluster.reader(in.Env).List(ctx, list, how...); err != nil {
			return healthcheck.Result{}, fmt.Errorf("listing for kind %s: %w", kindOf(list), StableError(err))
		}
		items, err := itemsOf[O](list)
		if err != nil {
			return healthcheck.Result{}, err
		}
		if len(items) == 0 {
			return missing(notFound("No " + kindOf(list) + " is found")), nil
		}
		return judgeAll(in.Now, items, rule), nil
	}
	return healthcheck.NamedCheck[T]{Name: name, Check: checkOf(check, required(find == nil, errNoFind), required(rule == nil, errNoRule), settings.problem), Needs: cluster.needs(), Reads: reads[O]()}
}

// itemsOf returns the items of a list as objects, sorted by namespace and name.
func itemsOf[O client.Object](list client.ObjectList) ([]O, error) {
	var items []O
	err := meta.EachListItem(list, func(item runtime.Object) error {
		obj, ok := item.(O)
		if !ok {
			return fmt.Errorf("the list for kind %s has items of type %T", kindOf(list), item)
		}
		items = append(items, obj)
		return nil
	})
	slices.SortFunc(items, func(a, b O) int {
		return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return items, err
}

// judgeAll applies a rule to at least one object and merges the results.
func judgeAll[O client.Object](now time.Time, objects []O, rule Rule[O]) healthcheck.Result {
	found := make([]healthcheck.NamedResult, 0, len(objects))
	for _, obj := range objects {
		r := rule(obj)
		if !r.Deadline.IsZero() {
			r = r.At(now) // A result past its deadline is worse than one before it.
		}
		if !r.RecheckAt.After(now) {
			// A time that is over must not hide a later one of another object.
			r.RecheckAt = time.Time{}
		}
		if r.Status != healthcheck.Skipped {
			found = append(found, healthcheck.NamedResult{Name: describe(obj), Result: r})
		}
	}
	if len(found) == 0 {
		return healthcheck.Result{Status: healthcheck.Skipped, Reason: reasonAllSkipped}
	}
	return mergeNamed(found)
}

// mergeNamed does what healthcheck.Merge does, but accepts results that have no deadline
// yet.
func mergeNamed(found []healthcheck.NamedResult) healthcheck.Result {
	// An undefined status is the worst: the engine will refuse it.
	lead := slices.MinFunc(found, func(a, b healthcheck.NamedResult) int {
		return severity.Of(string(a.Status)) - severity.Of(string(b.Status))
	})
	merged := lead.Result
	if merged.Status == healthcheck.Progressing {
		// Each object has its own clock: the next one must not inherit that of one that has
		// finished.
		merged.Cause = lead.Name + " " + cmp.Or(merged.Cause, merged.Reason)
	}
	merged.RecheckAt, merged.Codes = time.Time{}, nil
	var same []healthcheck.NamedResult
	for _, r := range found {
		merged.RecheckAt = healthcheck.Earliest(merged.RecheckAt, r.NextChange())
		if r.Status == merged.Status {
			same = append(same, r)
			merged.Codes = append(merged.Codes, r.Codes...)
		}
	}
	slices.Sort(merged.Codes)
	merged.Codes = slices.Compact(merged.Codes)
	merged.Message = ""
	if merged.Status != healthcheck.True {
		merged.Message = phrase(merged.Status) + ": " + enumerate(same)
	}
	return merged
}

func phrase(s healthcheck.Status) string {
	switch s {
	case healthcheck.Progressing:
		return "In progress"
	case healthcheck.Unknown:
		return "Cannot be judged"
	default:
		return "Not healthy"
	}
}

// enumerate returns the results in one line.
func enumerate(results []healthcheck.NamedResult) string {
	var texts []string
	for _, r := range results[:min(len(results), maxNamed)] {
		texts = append(texts, about(r.Name, r.Result).Message)
	}
	if len(results) > maxNamed {
		texts = append(texts, "and more")
	}
	return strings.Join(texts, "; ")
}
