package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/explore/rules"
)

// command finds the flags of the command that tells a history.
var command = regexp.MustCompile(`tell it: cd sim && go run ./cmd/explore -plant="([^"]*)" -world="([^"]*)" -replay=(\S+)`)

// TestFailureReplays: a run that breaks a rule prints its schedule, and a command that breaks the same rule again.
func TestFailureReplays(t *testing.T) {
	for _, plant := range []string{"brake", "asks again"} {
		t.Run(plant, func(t *testing.T) {
			var searched, told bytes.Buffer
			if err := run([]string{"-plant=" + plant, "-schedules=2000"}, &searched); err == nil {
				t.Fatalf("no rule is broken:\n%s", &searched)
			}
			flags := command.FindStringSubmatch(searched.String())
			if flags == nil || (flags[3] != "usual" && !strings.Contains(searched.String(), "at point ")) {
				t.Fatalf("it does not print the schedule and the command that tells it:\n%s", &searched)
			}
			err := run([]string{"-plant=" + flags[1], "-world=" + flags[2], "-replay=" + flags[3]}, &told)
			failure := (*rules.Failure)(nil)
			if !errors.As(err, &failure) {
				t.Fatalf("the history breaks no rule when it is told: %v\n%s", err, &told)
			}
			if broken := "BROKEN: " + failure.Error(); !strings.Contains(searched.String(), broken) {
				t.Errorf("it breaks another rule when it is told, %q:\n%s", broken, &searched)
			}
		})
	}
}

// TestSums: a search that finds nothing says what it has searched.
func TestSums(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-world=replace", "-schedules=10"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	for _, want := range append([]string{"1 worlds:", "10 histories", "steps", "days", "states", "rules held"}, rules.All...) {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, &out)
		}
	}
}
