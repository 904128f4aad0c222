package mhcspec

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"
)

// SignalsAnnotation on a MachineHealthCheck says when conditions of Nodes are believed: a map in YAML, by condition type.
const SignalsAnnotation = "sickbay.dev/signals"

// Trust says when a condition of a Node is believed. The zero value always believes it.
type Trust struct {
	// SilentAfter is how old the last heartbeat of the condition may be; 0 means any age.
	SilentAfter time.Duration
	// BootGrace is how long after a boot a condition does not count that began by then; 0 if it always counts.
	BootGrace time.Duration
	// FirstSeen starts the timeout when Sickbay first saw the condition, and not at its last transition.
	FirstSeen bool
	// Flaps is how often the condition may become unhealthy within FlapWindow before it counts as unhealthy; 0 means any number.
	Flaps      int
	FlapWindow time.Duration
	// MaxShare is the percentage of Nodes that may show the condition at once; 0 if there is no limit.
	MaxShare int
}

// Remembers reports whether more must be remembered for it than a Node shows.
func (t Trust) Remembers() bool { return t.BootGrace > 0 || t.FirstSeen || t.Flaps > 0 }

// Without returns the rules without those about some types of Node conditions.
func (r Rules) Without(types []string) Rules {
	r.NodeConditions = slices.DeleteFunc(slices.Clone(r.NodeConditions), func(rule ConditionRule) bool { return slices.Contains(types, rule.Type) })
	return r
}

// signals are the maps that were parsed, by their text: each judgement of a Machine needs one.
var signals sync.Map

// Signals returns when the conditions of Nodes are believed, by type; nil if it is not set. The caller must not change it. The error is half a
// sentence for the author.
func Signals(mhc *clusterv1.MachineHealthCheck) (map[string]Trust, error) {
	text, ok := mhc.Annotations[SignalsAnnotation]
	if !ok {
		return nil, nil
	}
	if known, ok := signals.Load(text); ok {
		return known.(map[string]Trust), nil
	}
	var written map[string]map[string]any
	if err := yaml.UnmarshalStrict([]byte(text), &written); err != nil {
		return nil, errors.New("it must be YAML like {GpuHealthy: {silentAfter: 15m}}")
	}
	all := map[string]Trust{}
	for _, conditionType := range slices.Sorted(maps.Keys(written)) {
		if !isType.MatchString(conditionType) {
			return nil, fmt.Errorf("%s is no condition type", Quoted(conditionType))
		}
		trust, err := trustOf(written[conditionType])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", conditionType, err)
		}
		all[conditionType] = trust
	}
	signals.Store(text, all)
	return all, nil
}

// isType matches the condition types that messages can name without quotes.
var isType = regexp.MustCompile(`^[A-Za-z0-9./_-]{1,100}$`)

// settings set what is written under a name.
var settings = map[string]func(*Trust, string) error{
	"silentAfter": func(t *Trust, text string) error { return positive(&t.SilentAfter, text) },
	"bootGrace":   func(t *Trust, text string) error { return positive(&t.BootGrace, text) },
	"flapWindow":  func(t *Trust, text string) error { return positive(&t.FlapWindow, text) },
	"clock": func(t *Trust, text string) error {
		t.FirstSeen = text == "FirstSeen"
		if !t.FirstSeen && text != "LastTransition" {
			return errors.New("it must be FirstSeen or LastTransition")
		}
		return nil
	},
	"flaps": func(t *Trust, text string) (err error) {
		if t.Flaps, err = strconv.Atoi(text); err != nil || t.Flaps < 2 || t.Flaps > maxFlaps {
			return fmt.Errorf("it must be a number from 2 to %d", maxFlaps)
		}
		return nil
	},
	"maxShare": func(t *Trust, text string) (err error) {
		number, percent := strings.CutSuffix(text, "%")
		if t.MaxShare, err = strconv.Atoi(number); err != nil || !percent || t.MaxShare < 1 || t.MaxShare > 100 {
			return errors.New("it must be a percentage from 1% to 100%")
		}
		return nil
	},
}

// maxFlaps bounds how many times are remembered for a condition.
const maxFlaps = 20

func trustOf(written map[string]any) (t Trust, err error) {
	for _, name := range slices.Sorted(maps.Keys(written)) {
		set, ok := settings[name]
		if !ok {
			return t, fmt.Errorf("there is no setting %s, only %s", Quoted(name), strings.Join(slices.Sorted(maps.Keys(settings)), ", "))
		}
		text := fmt.Sprint(written[name])
		if err := set(&t, text); err != nil {
			return t, fmt.Errorf("%s is %s: %w", name, Quoted(text), err)
		}
	}
	if (t.Flaps > 0) != (t.FlapWindow > 0) {
		return t, errors.New("flaps and flapWindow belong together")
	}
	return t, nil
}

func positive(d *time.Duration, text string) (err error) {
	if *d, err = time.ParseDuration(text); err != nil || *d <= 0 {
		return errors.New("it must be a duration like 30m or 1h30m")
	}
	return nil
}
