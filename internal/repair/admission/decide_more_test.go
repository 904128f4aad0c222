package admission

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestDecideInvalidConfiguration: what cannot be understood is never guessed at.
func TestDecideInvalidConfiguration(t *testing.T) {
	tests := map[string]build.MachineHealthCheckOption{
		"max-in-flight":        maxInFlight("lots"),
		"dry-run":              build.Annotation(mhcspec.DryRunAnnotation, "maybe"),
		"strategy":             build.Annotation(mhcspec.StrategyAnnotation, "pray"),
		"external strategy":    build.Annotation(mhcspec.ExternalStrategyAnnotation, "pray"),
		"provisioning-timeout": build.Annotation(mhcspec.ProvisioningTimeoutAnnotation, "30"),
		"resumed-at":           build.Annotation(mhcspec.ResumedAtAnnotation, "yesterday"),
		"range":                build.TriggerIfInRange("[5-3]"),
		"a kind that is none":  build.TemplateRef(env.RemediationGroupVersion.WithKind("Fix"), "fix"),
	}
	for name, opt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(opt), sick("a"), stray(sick("b")), healthy("c")).with(recordOf("a", tried)), now)
			wantStopped(t, d, ReasonInvalidConfiguration)
			if d.Counts.Expected != 3 || d.Counts.Healthy != 1 {
				t.Errorf("counts are %+v, want them as ever", d.Counts)
			}
		})
	}
	t.Run("selector", func(t *testing.T) {
		f := facts(check())
		f.SelectorProblem = errors.New("spec.selector must not be empty")
		wantStopped(t, Decide(f, now), ReasonInvalidConfiguration)
	})
}

// wantStopped asserts that nobody is admitted, and that everybody knows why.
func wantStopped(t *testing.T, d Decision, reason string) {
	t.Helper()
	if d.Stopped.Reason != reason || d.Allowed || len(d.Admit)+len(d.Next) > 0 || d.RemediationsAllowed() != 0 {
		t.Errorf("stopped by %+v, allowed %v, admitted %v, room %d; want %s and nothing else", d.Stopped, d.Allowed, admitted(d), d.RemediationsAllowed(), reason)
	}
	for _, one := range d.Waiting {
		if one.Reason != reason {
			t.Errorf("%s waits for %s, want %s", one.Machine, one.Reason, reason)
		}
	}
}

func TestDecideClusterDeleting(t *testing.T) {
	f := facts(check(), sick("a"))
	f.Cluster.DeletionTimestamp = &metav1.Time{Time: now}
	wantStopped(t, Decide(f, now), ReasonDeleting)
}

// TestDecideOnHold: a pause that ends by itself, of all or of one.
func TestDecideOnHold(t *testing.T) {
	soon := now.Add(time.Hour)
	mhc := facts(check(onHold(soon)), sick("a"))
	cluster := facts(check(), sick("a"))
	onHold(soon)(cluster.Cluster)
	for name, f := range map[string]Facts{"MachineHealthCheck": mhc, "Cluster": cluster} {
		t.Run(name, func(t *testing.T) {
			d := Decide(f, now)
			wantStopped(t, d, ReasonOnHold)
			if !d.RecheckAt.Equal(soon) {
				t.Errorf("recheck at %s, want at the end of the hold", d.RecheckAt)
			}
			if diff := cmp.Diff(replaced("a"), admitted(Decide(f, soon))); diff != "" {
				t.Errorf("admitted at its end (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("Machine", func(t *testing.T) {
		d := Decide(facts(check(maxInFlight("1")), sick("a", onHold(soon)), sick("b")), now)
		if diff := cmp.Diff(replaced("b"), admitted(d)); diff != "" {
			t.Errorf("admitted (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"a: OnHold"}, waiting(d)); diff != "" || !d.RecheckAt.Equal(soon) {
			t.Errorf("recheck at %s; waiting (-want +got):\n%s", d.RecheckAt, diff)
		}
	})
	t.Run("unreadable", func(t *testing.T) {
		d := Decide(facts(check(build.Annotation("sickbay.dev/hold-until", "tomorrow")), sick("a")), now)
		wantStopped(t, d, ReasonOnHold)
		if !d.RecheckAt.IsZero() {
			t.Errorf("recheck at %s, though only a person can end it", d.RecheckAt)
		}
	})
}

// TestDecideStrays: a machine with a request without a record gets a record once, over the slots, whatever the health.
func TestDecideStrays(t *testing.T) {
	tests := map[string]struct {
		facts   Facts
		want    []string
		waiting []string
	}{
		"sick":                  {facts(check(), stray(sick("a"))), []string{"a: taken over"}, nil},
		"healthy":               {facts(check(), stray(healthy("a"))), []string{"a: taken over"}, nil},
		"no verdict":            {facts(check(), stray(target("a"))), []string{"a: taken over"}, nil},
		"being deleted":         {facts(check(), stray(sick("a", build.Deleting(now)))), nil, nil},
		"has an open record":    {facts(check(), stray(sick("a"))).with(recordOf("a")), nil, nil},
		"had one":               {facts(check(), stray(healthy("a"))).with(recordOf("a", ended)), nil, nil},
		"had one, sick again":   {facts(check(), stray(sick("a"))).with(recordOf("a", ended)), replaced("a"), nil},
		"over the slots":        {facts(check(maxInFlight("1")), stray(sick("a")), stray(sick("b")), sick("c")), []string{"a: taken over", "b: taken over"}, []string{"c: NoSlot"}},
		"takes a slot":          {facts(check(maxInFlight("2")), stray(healthy("a")), sick("b"), sick("c")), []string{"a: taken over", "b: replace"}, []string{"c: NoSlot"}},
		"the gate is closed":    {facts(check(build.TriggerIfInRange("[0-0]")), stray(sick("a")), sick("b")), []string{"a: taken over"}, []string{"b: GateClosed"}},
		"invalid configuration": {facts(check(maxInFlight("x")), stray(sick("a"))), nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(tt.facts, now)
			if diff := cmp.Diff(tt.want, admitted(d)); diff != "" {
				t.Errorf("admitted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.waiting, waiting(d)); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPausedHasPlanAndSlots: under a pause, pages and commands still show the plan and the slots that apply when it ends.
func TestPausedHasPlanAndSlots(t *testing.T) {
	options := []build.MachineHealthCheckOption{build.Annotation(mhcspec.StrategyAnnotation, "reboot"), build.Annotation(mhcspec.MaxInFlightAnnotation, "2")}
	running := Decide(facts(check(options...), sick("a"), healthy("b")), now)
	paused := Decide(facts(check(append(options, build.Annotation(clusterv1.PausedAnnotation, ""))...), sick("a"), healthy("b")), now)
	if len(paused.Paused) == 0 || len(paused.Admit) > 0 {
		t.Fatalf("paused is %v, and admitted are %v", paused.Paused, admitted(paused))
	}
	if !paused.Bounded() || paused.Slots() != running.Slots() {
		t.Errorf("slots are %d, bounded %t; without the pause %d", paused.Slots(), paused.Bounded(), running.Slots())
	}
	if diff := cmp.Diff(running.Steps, paused.Steps); diff != "" || paused.Steps[0].Action != v1alpha1.ActionReboot {
		t.Errorf("steps (-without the pause +under it):\n%s", diff)
	}
}
