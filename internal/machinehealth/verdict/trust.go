package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict/signals"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// TrustConditionType is the condition that says whether the conditions of a Machine's Node are believed. Its message ends with what Sickbay remembers
// of them.
const TrustConditionType = "SignalsTrusted"

// ReasonSignalsTrusted says that each is. The other reasons of that condition are ReasonDetectorSilent and ReasonDetectorLatched.
const ReasonSignalsTrusted = "SignalsTrusted"

// Distrusts reports whether settings say when conditions of a Node are believed.
func Distrusts(rules mhcspec.Rules) bool {
	return slices.ContainsFunc(rules.NodeConditions, func(rule mhcspec.ConditionRule) bool { return rule.Trust != mhcspec.Trust{} })
}

// DecideTrust returns the condition about the conditions of the Node. It is for a Machine whose Node was read.
func DecideTrust(f Facts, now time.Time) healthcheck.Result {
	if f.Node.State != NodeFound {
		return unknown(ReasonNodeUnavailable, f.stored().String())
	}
	result := healthcheck.Result{Status: healthcheck.True, Reason: ReasonSignalsTrusted}
	var all []mhcspec.ConditionRule
	var said []string
	for _, rules := range append([]mhcspec.Rules{f.Rules}, f.More...) {
		all = append(all, rules.NodeConditions...)
		found := f.By(rules).look(now).nodeConditions()
		for _, one := range found.held {
			if result.Status == healthcheck.True {
				result.Status, result.Reason = healthcheck.False, one.reason
			}
			said = append(said, one.message)
		}
		result.RecheckAt = healthcheck.Earliest(result.RecheckAt, found.until)
	}
	slices.Sort(said)
	result.Message = strings.Join(slices.Compact(said), "; ")
	if memory := f.remembered(all, now).String(); memory != "" {
		result.Message = strings.TrimPrefix(result.Message+". "+memory, ". ")
	}
	return result
}

// Shows reports whether the Node of a Machine shows a condition of a type that a rule calls unhealthy, or has shown it so often that the Machine is sick.
func Shows(f Facts, conditionType string, now time.Time) bool {
	return f.Node.State == NodeFound && slices.ContainsFunc(f.Rules.NodeConditions, func(rule mhcspec.ConditionRule) bool {
		return rule.Type == conditionType &&
			(signals.Matching(rule, f.Node.Node) != nil || rule.Trust.Flaps > 0 && len(f.look(now).flapping(rule).found) > 0)
	})
}

// SickWithout reports whether a Machine would be sick if some types of Node conditions were not looked at.
func SickWithout(f Facts, types []string, now time.Time) bool {
	return decide(f.By(f.Rules.Without(types)), now).Status == healthcheck.False
}

// stored returns what was remembered of the Node before, if anybody can read it.
func (f *Facts) stored() signals.Memory {
	c := meta.FindStatusCondition(f.Machine.Status.Conditions, TrustConditionType)
	if c == nil {
		return nil
	}
	memory, _ := signals.Parse(c.Message)
	return memory
}

// remembered returns what is remembered of the conditions that rules match, with what the Node shows now.
func (f *Facts) remembered(rules []mhcspec.ConditionRule, now time.Time) signals.Memory {
	if f.Node.State != NodeFound || !slices.ContainsFunc(rules, func(rule mhcspec.ConditionRule) bool { return rule.Trust.Remembers() }) {
		return nil
	}
	return f.stored().Remember(rules, f.Node.Node, now)
}

// signal judges a condition of the Node that matches a rule.
func (l look) signal(rule mhcspec.ConditionRule, c *corev1.NodeCondition) findings {
	trust := rule.Trust
	silentAt, heardAt := l.silentAt(trust, c), cmp.Or(l.HeardAt, l.now)
	if !silentAt.IsZero() && !heardAt.Before(silentAt) {
		return findings{held: []finding{{
			reason:  ReasonDetectorSilent,
			message: fmt.Sprintf("Node condition %s is %s, but its detector is silent since %s", rule.Type, rule.Status, c.LastHeartbeatTime.UTC().Format(time.RFC3339)),
		}}}
	}
	if !l.HeardAt.IsZero() {
		silentAt = time.Time{}
	}
	since := c.LastTransitionTime.Time
	if trust.Remembers() {
		seen := l.memory.Of(signals.Key(rule)).Since()
		if seen.Before(l.trustedFrom(trust)) {
			return findings{until: silentAt, held: []finding{{
				reason: ReasonDetectorLatched,
				message: fmt.Sprintf("Node condition %s is %s (%s), but that began no later than %s after the last boot and has not changed since: its detector may hang",
					rule.Type, rule.Status, c.Reason, trust.BootGrace),
			}}}
		}
		if trust.FirstSeen {
			since = healthcheck.Latest(seen, past(l.watchedSince(l.now), l.now))
		}
	}
	// The kubelet writes the transition, by its own clock. One that is behind dates it before the Node was created.
	created := l.Node.Node.CreationTimestamp.Time
	all := matching("Node", rule, healthcheck.Latest(l.countsSince(since, created, rule.Timeout), past(created, l.now)), l.now)
	all.until = silentAt
	return all
}

// silentAt returns when the detector of a condition counts as silent if no heartbeat comes; zero if it does not: a dead kubelet silences them all, and
// its Ready condition says so.
func (l look) silentAt(trust mhcspec.Trust, c *corev1.NodeCondition) time.Time {
	beat := past(c.LastHeartbeatTime.Time, l.now)
	if trust.SilentAfter == 0 || beat.IsZero() || !slices.ContainsFunc(l.Node.Node.Status.Conditions, func(ready corev1.NodeCondition) bool {
		return ready.Type == corev1.NodeReady && ready.Status != corev1.ConditionUnknown
	}) {
		return time.Time{}
	}
	return beat.Add(trust.SilentAfter)
}

// trustedFrom returns from when on what is seen of a condition counts: what began before may be left from the last boot.
func (l look) trustedFrom(trust mhcspec.Trust) time.Time {
	booted := l.memory.Of(signals.BootKey(l.Node.Node)).Since()
	if trust.BootGrace == 0 || booted.IsZero() {
		return time.Time{}
	}
	return booted.Add(trust.BootGrace)
}

// flapping judges how often a condition became unhealthy.
func (l look) flapping(rule mhcspec.ConditionRule) findings {
	from := healthcheck.Latest(l.trustedFrom(rule.Trust), l.Rules.ResumedAt, past(l.watchedSince(l.now), l.now), past(l.Node.Node.CreationTimestamp.Time, l.now))
	onsets := slices.DeleteFunc(slices.Clone(l.memory.Of(signals.Key(rule)).Onsets), func(at time.Time) bool { return at.Before(from) })
	flaps, window := rule.Trust.Flaps, rule.Trust.FlapWindow
	if len(onsets) < flaps {
		return findings{}
	}
	onsets = onsets[len(onsets)-flaps:]
	heals := onsets[0].Add(window)
	if !l.now.Before(heals) {
		return findings{}
	}
	all := one(reasonFor(rule.Type, "Flapping"), fmt.Sprintf("Node condition %s became %s %d times within %s", rule.Type, rule.Status, flaps, window), onsets[flaps-1])
	all.until = heals
	return all
}

// distrusted answers for a Machine of which nothing else is known than what nobody believes.
func (l look) distrusted() (healthcheck.Result, bool) {
	if len(l.held) == 0 {
		return healthcheck.Result{}, false
	}
	messages := make([]string, len(l.held))
	for i, one := range l.held {
		messages[i] = one.message
	}
	return l.undecided(true, l.held[0].reason, strings.Join(messages, "; "))
}
