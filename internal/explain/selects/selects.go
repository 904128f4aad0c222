// Package selects says why a selector selects nothing, and what it probably means instead. It is pure.
package selects

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/sickbay-dev/sickbay/internal/humanize"
)

// shortest is how long a text must be: any letter is one letter away from any other.
const shortest = 2

// maxLabels is how many labels a sentence names.
const maxLabels = 3

// Nothing says which of its labels keep a selector from selecting any object with these labels, and what is one letter away from them.
func Nothing(selector *metav1.LabelSelector, objects []map[string]string) string {
	var missing []string
	for _, one := range requirements(selector) {
		if !slices.ContainsFunc(objects, func(set map[string]string) bool { return one.matches.Matches(labels.Set(set)) }) {
			missing = append(missing, "none has "+one.text+one.near(objects))
		}
	}
	if len(missing) == 0 {
		return "none has all that it asks for: " + metav1.FormatLabelSelector(selector)
	}
	return humanize.Some(missing, maxLabels)
}

// requirement is one label that a selector asks for.
type requirement struct {
	text    string
	matches labels.Selector
	key     string
	// values are those of which one is asked for; none if any will do.
	values []string
	// absent reports that it asks for something that is not there, from which nothing is one letter away.
	absent bool
}

func requirements(selector *metav1.LabelSelector) []requirement {
	var all []requirement
	add := func(part metav1.LabelSelector, key string, values []string, absent bool) {
		if matches, err := metav1.LabelSelectorAsSelector(&part); err == nil {
			all = append(all, requirement{text: metav1.FormatLabelSelector(&part), matches: matches, key: key, values: values, absent: absent})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(selector.MatchLabels)) {
		value := selector.MatchLabels[key]
		add(metav1.LabelSelector{MatchLabels: map[string]string{key: value}}, key, []string{value}, false)
	}
	for _, one := range selector.MatchExpressions {
		absent := one.Operator == metav1.LabelSelectorOpDoesNotExist || one.Operator == metav1.LabelSelectorOpNotIn
		add(metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{one}}, one.Key, one.Values, absent)
	}
	return all
}

// near names the labels that are one letter away, those of most objects first, and how many objects have them; empty if there are none.
func (r requirement) near(objects []map[string]string) string {
	if r.absent {
		return ""
	}
	counts := map[string]int{}
	for _, set := range objects {
		for key, value := range set {
			if r.isNear(key, value) {
				counts[key+"="+value]++
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	if len(names) == 0 {
		return ""
	}
	for i, name := range names {
		names[i] = humanize.Count(counts[name], "has ", "have ") + name
	}
	return ", but " + humanize.Some(names, maxLabels)
}

// isNear reports whether a label differs by one letter, in its key or in its value.
func (r requirement) isNear(key, value string) bool {
	if key == r.key {
		return slices.ContainsFunc(r.values, func(v string) bool { return oneLetter(v, value) })
	}
	return oneLetter(r.key, key) && (len(r.values) == 0 || slices.Contains(r.values, value))
}

// oneLetter reports whether two texts differ by one letter, by two neighbors in the wrong order, or by capitals only.
func oneLetter(a, b string) bool {
	return a != b && min(len(a), len(b)) >= shortest && (strings.EqualFold(a, b) || humanize.Slip(a, b))
}
