// Package signals remembers what a Node does not show: since when Sickbay has seen its conditions, how often they came, and when it booted. The memory
// is the end of the message of a condition on the Machine, so that a restart forgets nothing.
//
// The package is pure: what was written and read again is remembered the same.
package signals

import (
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Memory is what is remembered of a Node, sorted by key.
type Memory []Signal

// Signal is an unhealthy status of a condition, or a boot.
type Signal struct {
	// Key is the type and the status, as in Ready=False, or boot= and the beginning of the boot ID.
	Key string
	// Gone reports that the Node did not show it at the last look.
	Gone bool
	// Onsets are when Sickbay saw it begin, the last one last.
	Onsets []time.Time
}

// Key returns the key of what a rule matches. The API takes any text for a status, even if no Node can have it.
func Key(rule mhcspec.ConditionRule) string {
	return rule.Type + "=" + strings.Join(strings.Fields(rule.Status), "_")
}

const boot = "boot="

// BootKey returns the key of the present boot of a Node; empty if the Node does not say it.
func BootKey(node *corev1.Node) string {
	const enough = 8
	if id := node.Status.NodeInfo.BootID; id != "" {
		return boot + id[:min(len(id), enough)]
	}
	return ""
}

// Of returns what is remembered under a key; it has no key if nothing is.
func (m Memory) Of(key string) Signal {
	if i := slices.IndexFunc(m, func(s Signal) bool { return s.Key == key }); i >= 0 {
		return m[i]
	}
	return Signal{Gone: true}
}

// Since returns when it last began; zero if it never did.
func (s Signal) Since() time.Time {
	if len(s.Onsets) == 0 {
		return time.Time{}
	}
	return s.Onsets[len(s.Onsets)-1]
}

// Remember returns what to remember of a Node. At the first look for a rule, the Node's own times say since when it has been as it is. Later, our clock
// alone counts, whatever the clock of the Node says.
func (m Memory) Remember(rules []mhcspec.ConditionRule, node *corev1.Node, now time.Time) Memory {
	now = now.UTC().Truncate(time.Second)
	var all Memory
	if key := BootKey(node); key != "" && slices.ContainsFunc(rules, func(rule mhcspec.ConditionRule) bool { return rule.Trust.BootGrace > 0 }) {
		booted := now
		if !slices.ContainsFunc(m, func(s Signal) bool { return strings.HasPrefix(s.Key, boot) }) {
			booted = bootByNode(node, now)
		}
		all = append(all, m.Of(key).next(key, true, booted, 1, 0, now))
	}
	for _, rule := range rules {
		key, onset := Key(rule), now
		if !rule.Trust.Remembers() || all.Of(key).Key != "" {
			continue
		}
		before, c := m.Of(key), Matching(rule, node)
		if before.Key == "" && c != nil {
			onset = notAfter(c.LastTransitionTime.Time, now)
		}
		most, window := 1, time.Duration(0)
		for _, other := range rules {
			if Key(other) == key {
				most, window = max(most, other.Trust.Flaps), max(window, other.Trust.FlapWindow)
			}
		}
		all = append(all, before.next(key, c != nil, onset, most, window, now))
	}
	slices.SortFunc(all, func(a, b Signal) int { return strings.Compare(a.Key, b.Key) })
	return all
}

// next returns what to remember of a signal after a look, of which it keeps the last onsets, and none from before the window; but the last one for as long
// as the Node shows it. The clock of an earlier leader may have been ahead.
func (s Signal) next(key string, shown bool, onset time.Time, most int, window time.Duration, now time.Time) Signal {
	onsets := slices.Clone(s.Onsets)
	for i := range onsets {
		onsets[i] = notAfter(onsets[i], now)
	}
	if shown && s.Gone {
		onsets = append(onsets, onset)
	}
	onsets = onsets[max(0, len(onsets)-most):]
	for len(onsets) > 0 && !onsets[0].After(now.Add(-window)) && (len(onsets) > 1 || !shown) {
		onsets = onsets[1:]
	}
	return Signal{Key: key, Gone: !shown, Onsets: onsets}
}

// bootByNode returns when a Node has booted at the latest, by its own word.
func bootByNode(node *corev1.Node, now time.Time) time.Time {
	if ready := Matching(mhcspec.ConditionRule{Type: string(corev1.NodeReady), Status: string(corev1.ConditionTrue)}, node); ready != nil {
		return notAfter(ready.LastTransitionTime.Time, now)
	}
	return notAfter(node.CreationTimestamp.Time, now)
}

func notAfter(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Second)
}

// Matching returns the condition of a Node that a rule matches; nil if none does.
func Matching(rule mhcspec.ConditionRule, node *corev1.Node) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if c := &node.Status.Conditions[i]; string(c.Type) == rule.Type && string(c.Status) == rule.Status {
			return c
		}
	}
	return nil
}

// begins is before the memory in a message.
const begins = "Remembered: "

// entry matches what is remembered under a key.
var entry = regexp.MustCompile(`^(\S+=\S+)(?: not seen|( before)? seen at (.+))$`)

// String returns the memory in words that Parse reads; empty if there is nothing to remember.
func (m Memory) String() string {
	if len(m) == 0 {
		return ""
	}
	parts := make([]string, len(m))
	for i, s := range m {
		parts[i] = s.Key
		switch {
		case len(s.Onsets) == 0:
			parts[i] += " not seen"
			continue
		case s.Gone:
			parts[i] += " before"
		}
		times := make([]string, len(s.Onsets))
		for j, at := range s.Onsets {
			times[j] = at.UTC().Format(time.RFC3339)
		}
		parts[i] += " seen at " + strings.Join(times, ", ")
	}
	return begins + strings.Join(parts, "; ")
}

// Parse reads the memory at the end of a message, and reports whether that can be read.
func Parse(message string) (m Memory, ok bool) {
	i := strings.LastIndex(message, begins)
	if i < 0 {
		return nil, true
	}
	for part := range strings.SplitSeq(message[i+len(begins):], "; ") {
		words := entry.FindStringSubmatch(part)
		if words == nil {
			return nil, false
		}
		if words[3] == "" {
			m = append(m, Signal{Key: words[1], Gone: true})
			continue
		}
		s := Signal{Key: words[1], Gone: words[2] != ""}
		for text := range strings.SplitSeq(words[3], ", ") {
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				return nil, false
			}
			s.Onsets = append(s.Onsets, at.UTC())
		}
		m = append(m, s)
	}
	return m, true
}
