package machinehealthcheck

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestDecideRebootPause: a host that was asked to cycle is given time to come up.
func TestDecideRebootPause(t *testing.T) {
	asked := func(ago time.Duration) build.Option {
		return build.Annotation(remedy.RebootRequestedAtAnnotation, now.Add(-ago).Format(time.RFC3339))
	}
	const why = "its host was rebooted a short time ago"
	tests := map[string]struct {
		asked   build.Option
		startup time.Duration
		want    time.Duration // until the next reboot; zero is now
	}{
		"never rebooted":                  {build.Annotation("other", ""), time.Minute, 0},
		"within the startup timeout":      {asked(9 * time.Minute), 10 * time.Minute, time.Minute},
		"past the startup timeout":        {asked(10 * time.Minute), 10 * time.Minute, 0},
		"short startup timeout: 5m":       {asked(4 * time.Minute), 30 * time.Second, time.Minute},
		"short startup timeout, past 5m":  {asked(5 * time.Minute), 30 * time.Second, 0},
		"no startup timeout: 5m":          {asked(4 * time.Minute), 0, time.Minute},
		"unreadable time counts as never": {build.Annotation(remedy.RebootRequestedAtAnnotation, "yesterday"), 0, 0},
		"in the future, by a clock ahead": {asked(-time.Minute), 0, 6 * time.Minute},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(byReboot(), build.NodeStartupTimeout(tt.startup)), sick("a", tt.asked)), now)
			if tt.want == 0 {
				if diff := cmp.Diff([]string{"a: reboot"}, remedies(d)); diff != "" {
					t.Errorf("remedies (-want +got):\n%s", diff)
				}
				return
			}
			if diff := cmp.Diff([]string{"a: " + why}, waiting(d)); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
			if got := d.RecheckAt.Sub(now); got != tt.want {
				t.Errorf("recheck in %s, want %s", got, tt.want)
			}
		})
	}
}

// TestDecideRebootPauseSpendsNoBudget: one that has to wait does not hold up the next.
func TestDecideRebootPauseSpendsNoBudget(t *testing.T) {
	resting := sick("a", build.Annotation(remedy.RebootRequestedAtAnnotation, now.Format(time.RFC3339)))
	d := Decide(facts(check(byReboot(), maxInFlight("1")), resting, sick("b")), now)
	if diff := cmp.Diff([]string{"b: reboot"}, remedies(d)); diff != "" {
		t.Errorf("remedies (-want +got):\n%s", diff)
	}
}

func TestDecideTemplateMissing(t *testing.T) {
	f := facts(check(byTemplate(), maxInFlight("1")), sick("a"), healthy("b"), withRequest(healthy("c")))
	f.Template.Missing = "it does not exist"
	d := Decide(f, now)
	if diff := cmp.Diff([]string{"a: it does not exist"}, waiting(d)); diff != "" || len(d.Remedies) > 0 {
		t.Errorf("remedies %v; waiting (-want +got):\n%s", remedies(d), diff)
	}
	if !d.Allowed || len(d.Withdraw) != 1 {
		t.Errorf("allowed %v, %d to withdraw; want the rest to be as ever", d.Allowed, len(d.Withdraw))
	}
	if got := d.RecheckAt.Sub(now); got != templateRetry {
		t.Errorf("recheck in %s, want %s", got, templateRetry)
	}
}

func TestDecideWithdraw(t *testing.T) {
	leaving := withRequest(healthy("a"))
	leaving.Request.DeletionTimestamp = &metav1.Time{Time: now}
	tests := map[string]struct {
		target Target
		want   bool
	}{
		"healthy again":            {withRequest(healthy("a")), true},
		"still sick":               {withRequest(sick("a")), false},
		"undecided":                {withRequest(pending("a")), false},
		"healthy, no request":      {healthy("a"), false},
		"request is being deleted": {leaving, false},
		"healthy, on its way out":  {withRequest(healthy("a", build.Deleting(now))), false},
		"no verdict yet":           {withRequest(target("a")), false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(byTemplate()), tt.target), now)
			if got := len(d.Withdraw) == 1; got != tt.want {
				t.Errorf("withdraw is %v, want %v", got, tt.want)
			}
		})
	}
}

// TestDecideInvalidConfiguration: what cannot be understood is never guessed at.
func TestDecideInvalidConfiguration(t *testing.T) {
	tests := map[string]build.MachineHealthCheckOption{
		"max-in-flight":        maxInFlight("lots"),
		"dry-run":              build.Annotation(DryRunAnnotation, "maybe"),
		"strategy":             build.Annotation(StrategyAnnotation, "pray"),
		"external strategy":    build.Annotation(ExternalStrategyAnnotation, "pray"),
		"provisioning-timeout": build.Annotation(machinehealth.ProvisioningTimeoutAnnotation, "30"),
		"resumed-at":           build.Annotation(machinehealth.ResumedAtAnnotation, "yesterday"),
		"range":                build.TriggerIfInRange("[5-3]"),
	}
	for name, opt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(check(opt), sick("a"), healthy("b")), now)
			if len(d.Problems) != 1 || d.Allowed || len(d.Remedies) > 0 || d.RemediationsAllowed() != 0 {
				t.Errorf("got problems %q, allowed %v, remedies %v, room %d; want one problem and nothing else", d.Problems, d.Allowed, remedies(d), d.RemediationsAllowed())
			}
			if d.Counts.Expected != 2 || d.Counts.Healthy != 1 {
				t.Errorf("counts are %+v, want them as ever", d.Counts)
			}
		})
	}
	t.Run("selector", func(t *testing.T) {
		f := facts(check())
		f.SelectorProblem = errors.New("spec.selector must not be empty")
		if d := Decide(f, now); len(d.Problems) != 1 || d.Allowed {
			t.Errorf("got problems %q, allowed %v", d.Problems, d.Allowed)
		}
	})
}

func TestDecideDryRun(t *testing.T) {
	f := facts(check(build.Annotation(DryRunAnnotation, "true"), byTemplate()), sick("a"), withRequest(healthy("b")))
	d := Decide(f, now)
	if !d.DryRun || len(d.Remedies) != 1 || len(d.Withdraw) != 1 {
		t.Fatalf("dry-run %v, remedies %v, %d to withdraw; want it to decide as ever", d.DryRun, remedies(d), len(d.Withdraw))
	}
	if want := "Would remediate a (request); would withdraw the requests of b"; d.dryRunMessage() != want {
		t.Errorf("message is %q, want %q", d.dryRunMessage(), want)
	}
}

// TestDecideUnseen: a remedy on a Machine that the cache does not show takes its place all the same.
func TestDecideUnseen(t *testing.T) {
	f := facts(check(maxInFlight("2")), sick("a"), sick("b"))
	f.Unseen = []time.Time{now.Add(10 * time.Second)}
	d := Decide(f, now)
	if diff := cmp.Diff(owners("a"), remedies(d)); diff != "" {
		t.Errorf("remedies (-want +got):\n%s", diff)
	}
	if want := "2 of 2 machines not healthy (2 sick), no limit set; 1 of at most 2 remediations in flight"; d.allowedMessage() != want {
		t.Errorf("message is %q, want %q", d.allowedMessage(), want)
	}
	if got := d.RecheckAt.Sub(now); got != 10*time.Second {
		t.Errorf("recheck in %s, want 10s", got)
	}
}

func TestDecideRechecksActed(t *testing.T) {
	first, second := sick("a"), sick("b")
	first.ActedUntil, second.ActedUntil = now.Add(20*time.Second), now.Add(10*time.Second)
	if got := Decide(facts(check(), first, second), now).RecheckAt.Sub(now); got != 10*time.Second {
		t.Errorf("recheck in %s, want at the first moment at which the cache is believed again", got)
	}
}
