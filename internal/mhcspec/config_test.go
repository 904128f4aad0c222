package mhcspec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestParseConfig(t *testing.T) {
	tests := map[string]struct {
		key, value string
		want       Config
	}{
		"nothing annotated":              {"other", "x", Config{}},
		"max-in-flight, number":          {MaxInFlightAnnotation, "2", Config{MaxInFlight: new(intstr.FromInt32(2))}},
		"max-in-flight, one":             {MaxInFlightAnnotation, "1", Config{MaxInFlight: new(intstr.FromInt32(1))}},
		"max-in-flight, percent":         {MaxInFlightAnnotation, "20%", Config{MaxInFlight: new(intstr.FromString("20%"))}},
		"max-in-flight, above 100%":      {MaxInFlightAnnotation, "150%", Config{MaxInFlight: new(intstr.FromString("150%"))}},
		"dry-run, true":                  {DryRunAnnotation, "true", Config{DryRun: true}},
		"dry-run, false":                 {DryRunAnnotation, "false", Config{}},
		"strategy, reboot":               {StrategyAnnotation, "reboot", Config{Strategy: StrategyReboot}},
		"strategy, external-baremetal":   {ExternalStrategyAnnotation, "external-baremetal", Config{Strategy: StrategyReboot}},
		"provisioning-timeout":           {ProvisioningTimeoutAnnotation, "30m", Config{}},
		"provisioning-timeout, off":      {ProvisioningTimeoutAnnotation, "0", Config{}},
		"pause-on-upgrade, true":         {PauseOnUpgradeAnnotation, "true", Config{}},
		"pause-on-upgrade, false":        {PauseOnUpgradeAnnotation, "false", Config{}},
		"resumed-at, a time":             {ResumedAtAnnotation, "2026-01-01T00:00:00Z", Config{}},
		"resumed-at, a time with offset": {ResumedAtAnnotation, "2026-01-01T02:00:00+02:00", Config{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, problems := ParseConfig(build.MachineHealthCheck("ns", "mhc", build.Annotation(tt.key, tt.value)), nil)
			if len(problems) > 0 {
				t.Errorf("got problems %q, want none", problems)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseConfigProblems(t *testing.T) {
	tests := map[string]struct{ key, value, want string }{
		`max-in-flight "lots"`:         {MaxInFlightAnnotation, "lots", `annotation sickbay.dev/max-in-flight is "lots": it must be a number of at least 1`},
		`max-in-flight "0"`:            {MaxInFlightAnnotation, "0", "at least 1"},
		`max-in-flight "0%"`:           {MaxInFlightAnnotation, "0%", "at least 1"},
		`max-in-flight "-1"`:           {MaxInFlightAnnotation, "-1", "at least 1"},
		`max-in-flight "-20%"`:         {MaxInFlightAnnotation, "-20%", "at least 1"},
		`max-in-flight ""`:             {MaxInFlightAnnotation, "", "at least 1"},
		`max-in-flight "2.5"`:          {MaxInFlightAnnotation, "2.5", "at least 1"},
		"max-in-flight, 33 bits":       {MaxInFlightAnnotation, "4294967296", "at least 1"},
		`dry-run "maybe"`:              {DryRunAnnotation, "maybe", `annotation sickbay.dev/dry-run is "maybe": it must be true or false`},
		`dry-run ""`:                   {DryRunAnnotation, "", "true or false"},
		"strategy, unknown":            {StrategyAnnotation, "pray", `annotation sickbay.dev/remediation is "pray": it must be "reboot"`},
		"strategy, empty":              {StrategyAnnotation, "", `must be "reboot"`},
		"strategy, capital":            {StrategyAnnotation, "Reboot", `must be "reboot"`},
		"external strategy, unknown":   {ExternalStrategyAnnotation, "pray", `annotation machine.openshift.io/remediation-strategy is "pray": it must be "external-baremetal"`},
		"external strategy, empty":     {ExternalStrategyAnnotation, "", `must be "external-baremetal"`},
		"external strategy, reboot":    {ExternalStrategyAnnotation, "reboot", `must be "external-baremetal"`},
		"strategy, external-baremetal": {StrategyAnnotation, "external-baremetal", `must be "reboot"`},
		`host-error-timeout "30"`:      {HostErrorTimeoutAnnotation, "30", `annotation sickbay.dev/host-error-timeout is "30": it must be a duration like 30m or 1h30m`},
		`provisioning-timeout "30"`:    {ProvisioningTimeoutAnnotation, "30", `annotation sickbay.dev/provisioning-timeout is "30": it must be a duration like 30m or 1h30m`},
		`provisioning-timeout ""`:      {ProvisioningTimeoutAnnotation, "", "must be a duration"},
		`provisioning-timeout "-1h"`:   {ProvisioningTimeoutAnnotation, "-1h", "must be a duration"},
		`pause-on-upgrade "no"`:        {PauseOnUpgradeAnnotation, "no", `annotation sickbay.dev/pause-on-upgrade is "no": it must be "true" or "false"`},
		`pause-on-upgrade ""`:          {PauseOnUpgradeAnnotation, "", `is "": it must be "true" or "false"`},
		`pause-on-upgrade "False"`:     {PauseOnUpgradeAnnotation, "False", `is "False": it must be "true" or "false"`},
		"resumed-at, not a time":       {ResumedAtAnnotation, "yesterday", `annotation sickbay.dev/resumed-at is "yesterday": it must be a time like`},
		"resumed-at, empty":            {ResumedAtAnnotation, "", "must be a time like"},
		"resumed-at, without zone":     {ResumedAtAnnotation, "2026-01-01T00:00:00", "must be a time like"},
		"a value as long as a book":    {StrategyAnnotation, strings.Repeat("x", 100_000), "xxx"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, problems := ParseConfig(build.MachineHealthCheck("ns", "mhc", build.Annotation(tt.key, tt.value)), nil)
			if len(problems) != 1 || !strings.Contains(problems[0], tt.want) {
				t.Fatalf("got problems %q, want one that says %q", problems, tt.want)
			}
			if len(problems[0]) > 1000 {
				t.Errorf("the problem takes %d bytes to say", len(problems[0]))
			}
		})
	}
}

// TestDryRunGarbage: somebody who tries to switch dry-run on does not want anything
// touched.
func TestDryRunGarbage(t *testing.T) {
	config, _ := ParseConfig(build.MachineHealthCheck("ns", "mhc", build.Annotation(DryRunAnnotation, "yes please")), nil)
	if !config.DryRun {
		t.Error("a dry-run that cannot be read is taken for none")
	}
}

// TestBounded: slots or pacing have one repair wait for another.
func TestBounded(t *testing.T) {
	plan := build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "plan")
	for name, tt := range map[string]struct {
		option   build.MachineHealthCheckOption
		template v1alpha1.RemediationPlan
		want     bool
	}{
		"nothing":         {build.Annotation(DryRunAnnotation, "true"), v1alpha1.RemediationPlan{}, false},
		"slots":           {build.Annotation(MaxInFlightAnnotation, "1"), v1alpha1.RemediationPlan{}, true},
		"a plan":          {plan, v1alpha1.RemediationPlan{}, false},
		"slots of a plan": {plan, v1alpha1.RemediationPlan{MaxInFlight: new(intstr.FromInt32(1))}, true},
		"a paced plan":    {plan, v1alpha1.RemediationPlan{Pacing: &v1alpha1.RemediationPacing{}}, true},
	} {
		template := &v1alpha1.MachineRemediationTemplate{}
		template.Spec.Template.Spec = tt.template
		if config, _ := ParseConfig(build.MachineHealthCheck("ns", "mhc", tt.option), template); config.Bounded() != tt.want {
			t.Errorf("%s: it is bounded: %t", name, config.Bounded())
		}
	}
}

func TestParseConfigNamesAllProblems(t *testing.T) {
	_, problems := ParseConfig(build.MachineHealthCheck("ns", "mhc",
		build.Annotation(MaxInFlightAnnotation, "lots"), build.Annotation(DryRunAnnotation, "maybe"),
		build.Annotation(StrategyAnnotation, "pray"), build.Annotation(ResumedAtAnnotation, "yesterday"),
		build.Annotation(PauseOnUpgradeAnnotation, "maybe"), build.Annotation(ExternalStrategyAnnotation, "pray"),
		build.Annotation(ProvisioningTimeoutAnnotation, "long")), nil)
	if len(problems) != 7 {
		t.Errorf("got %d problems, want 7: %q", len(problems), problems)
	}
}
