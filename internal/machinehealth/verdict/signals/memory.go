// Package signals remembers, of the conditions of a Node, what the Node itself does not show: since when Sickbay has seen them, how often they
// changed, and when the Node booted. The memory is the message of a condition on the Machine, so that a restart forgets nothing.
//
// The package is pure: the same memory, Node and time give the same memory, and what was written and read again is remembered the same.
package signals

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Memory is what is remembered of the conditions of a Node.
type Memory struct {
	// Boot is the beginning of the boot ID; empty if nothing asks for it, or if the Node does not say it.
	Boot string
	// BootSeen is when Sickbay first saw that boot.
	BootSeen time.Time
	// Signals are sorted by their key.
	Signals []Signal
}

// Signal is an unhealthy status of a condition.
type Signal struct {
	// Key is the type and the status, as in Ready=False.
	Key string
	// Shown reports whether the Node showed it at the last look.
	Shown bool
	// Onsets are when Sickbay saw it begin, the last one last.
	Onsets []time.Time
}

// Key returns the key of what a rule matches.
func Key(rule mhcspec.ConditionRule) string { return rule.Type + "=" + rule.Status }

// Of returns what is remembered of what a rule matches; zero if nothing is.
func (m Memory) Of(rule mhcspec.ConditionRule) Signal {
	key := Key(rule)
	for _, s := range m.Signals {
		if s.Key == key {
			return s
		}
	}
	return Signal{}
}

// Since returns when it last began; zero if it never did.
func (s Signal) Since() time.Time {
	if len(s.Onsets) == 0 {
		return time.Time{}
	}
	return s.Onsets[len(s.Onsets)-1]
}

// Remember returns what to remember of a Node, given what was remembered before; before is nil if nothing was. At the first look, the Node's own times
// count: they say since when a condition has been as it is. Later, our clock alone counts, whatever the clock of the Node says.
func Remember(rules []mhcspec.ConditionRule, before *Memory, node *corev1.Node, now time.Time) Memory {
	now = now.UTC().Truncate(time.Second)
	memory := Memory{}
	if slices.ContainsFunc(rules, func(rule mhcspec.ConditionRule) bool { return rule.Trust.BootGrace > 0 }) {
		memory.Boot, memory.BootSeen = boot(before, node, now)
	}
	for _, rule := range rules {
		key := Key(rule)
		if !rule.Trust.Remembers() || slices.ContainsFunc(memory.Signals, func(s Signal) bool { return s.Key == key }) {
			continue
		}
		onset := now
		was := Signal{Key: key}
		if before == nil {
			onset = sinceByNode(rule, node, now)
		} else if known := before.Of(rule); known.Key != "" {
			was = known
		}
		if is := remember(was, Matching(rule, node) != nil, onset, keeps(rules, key, now)); is.Shown || len(is.Onsets) > 0 {
			memory.Signals = append(memory.Signals, is)
		}
	}
	slices.SortFunc(memory.Signals, func(a, b Signal) int { return strings.Compare(a.Key, b.Key) })
	return memory
}

// keeping is how many onsets are remembered of a signal, and since when.
type keeping struct {
	most  int
	since time.Time
}

// keeps returns what to keep of a signal for all rules about it: several MachineHealthChecks may have some.
func keeps(rules []mhcspec.ConditionRule, key string, now time.Time) keeping {
	most, window := 1, time.Duration(0)
	for _, rule := range rules {
		if Key(rule) == key {
			most, window = max(most, rule.Trust.Flaps), max(window, rule.Trust.FlapWindow)
		}
	}
	return keeping{most, now.Add(-window)}
}

func remember(s Signal, shown bool, onset time.Time, keep keeping) Signal {
	onsets := slices.Clone(s.Onsets)
	if shown && (!s.Shown || len(onsets) == 0) {
		onsets = append(onsets, onset)
	}
	onsets = onsets[max(0, len(onsets)-keep.most):]
	// The last one is needed for as long as the Node shows it.
	for len(onsets) > 0 && !onsets[0].After(keep.since) && (len(onsets) > 1 || !shown) {
		onsets = onsets[1:]
	}
	return Signal{Key: s.Key, Shown: shown, Onsets: onsets}
}

// boot returns the present boot, and when it was first seen.
func boot(before *Memory, node *corev1.Node, now time.Time) (id string, seen time.Time) {
	id = shortBoot(node.Status.NodeInfo.BootID)
	switch {
	case before != nil && before.Boot != "" && (id == "" || id == before.Boot):
		return before.Boot, before.BootSeen
	case id == "":
		return "", time.Time{}
	case before != nil && before.Boot != "":
		return id, now
	}
	seen = node.CreationTimestamp.Time
	if ready := condition(node, corev1.NodeReady); ready != nil && ready.Status == corev1.ConditionTrue {
		seen = ready.LastTransitionTime.Time
	}
	return id, notAfter(seen, now)
}

// shortBoot returns enough of a boot ID to tell it from another one.
func shortBoot(id string) string {
	const enough = 8
	word := func(r rune) bool {
		return r == '-' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	}
	id = strings.Map(func(r rune) rune {
		if word(r) {
			return r
		}
		return '-'
	}, id)
	return id[:min(len(id), enough)]
}

// sinceByNode returns since when a Node says that it shows what a rule matches.
func sinceByNode(rule mhcspec.ConditionRule, node *corev1.Node, now time.Time) time.Time {
	c := Matching(rule, node)
	switch {
	case c == nil:
		return now
	case c.LastTransitionTime.IsZero():
		return notAfter(node.CreationTimestamp.Time, now)
	}
	return notAfter(c.LastTransitionTime.Time, now)
}

func notAfter(at, now time.Time) time.Time {
	if at.IsZero() || at.After(now) {
		return now
	}
	return at.UTC().Truncate(time.Second)
}

// Matching returns the condition of a Node that a rule matches; nil if none does.
func Matching(rule mhcspec.ConditionRule, node *corev1.Node) *corev1.NodeCondition {
	if c := condition(node, corev1.NodeConditionType(rule.Type)); c != nil && string(c.Status) == rule.Status {
		return c
	}
	return nil
}

func condition(node *corev1.Node, conditionType corev1.NodeConditionType) *corev1.NodeCondition {
	for i := range node.Status.Conditions {
		if node.Status.Conditions[i].Type == conditionType {
			return &node.Status.Conditions[i]
		}
	}
	return nil
}
