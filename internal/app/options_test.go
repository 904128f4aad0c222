package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// TestValidate: a message of its own names each invalid option by its flag.
func TestValidate(t *testing.T) {
	tests := map[string]struct {
		set  func(*Options)
		want []string
	}{
		"no controllers": {
			func(o *Options) { o.Controllers = nil },
			[]string{"--controllers is empty: it must name at least one of machinehealth, machinehealthcheck, remediation, upgradepause"},
		},
		"unknown controller": {
			func(o *Options) { o.Controllers = []string{"upgradepause", "reboots"} },
			[]string{`--controllers has "reboots": each must be one of machinehealth, machinehealthcheck, remediation, upgradepause`},
		},
		"two unknown controllers": {
			func(o *Options) { o.Controllers = []string{"a", "b"} },
			[]string{`--controllers has "a": `, `--controllers has "b": `},
		},
		"name of a controller, not quite": {
			func(o *Options) { o.Controllers = []string{"UpgradePause"} }, []string{`--controllers has "UpgradePause": `},
		},
		"the same controller twice": {func(o *Options) { o.Controllers = []string{"upgradepause", "upgradepause"} }, nil},
		"Secrets of two namespaces": {func(o *Options) { o.SecretNamespaces = []string{"blue", "green"} }, nil},
		"Secrets after a comma, and after a blank": {
			func(o *Options) { o.SecretNamespaces = []string{"blue", "", " green"} },
			[]string{`--secret-namespaces has "": each must be the name of a namespace`, `--secret-namespaces has " green": each must be the name of a namespace`},
		},
		"no time until the warning": {
			func(o *Options) { o.MaxUpgradePauseWarning = 0 }, []string{"--max-upgrade-pause-warning is 0s: it must be above 0"},
		},
		"negative time until the warning": {
			func(o *Options) { o.MaxUpgradePauseWarning = -time.Hour }, []string{"--max-upgrade-pause-warning is -1h0m0s: it must be above 0"},
		},
		"no time to settle":             {func(o *Options) { o.UpgradeSettleTimeout = 0 }, nil},
		"negative time to settle":       {func(o *Options) { o.UpgradeSettleTimeout = -1 }, []string{"--upgrade-settle-timeout is -1ns: it must not be negative"}},
		"dashboard without a port":      {func(o *Options) { o.DashboardBindAddress = "127.0.0.1" }, []string{`--dashboard-bind-address is "127.0.0.1": it must be host:port, or 0 for none`}},
		"actions without a dashboard":   {func(o *Options) { o.DashboardActions = true }, []string{"--dashboard-actions needs --dashboard-bind-address"}},
		"certificate without dashboard": {func(o *Options) { o.DashboardCertDir = "/certs" }, []string{"--dashboard-cert-dir needs --dashboard-bind-address"}},
		"least time until the warning":  {func(o *Options) { o.MaxUpgradePauseWarning = 1 }, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := DefaultOptions()
			tt.set(&o)
			var got []string
			if err := o.Validate(); err != nil {
				got = strings.Split(err.Error(), "\n")
			}
			if len(got) != len(tt.want) {
				t.Fatalf("said %q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("said %q, want %q", got[i], want)
				}
			}
		})
	}
}

// TestParts: only the enabled controllers run, and they wait for no kind that they do not need.
func TestParts(t *testing.T) {
	var (
		clusterAPI = []string{"Cluster.cluster.x-k8s.io/v1beta2", "Machine.cluster.x-k8s.io/v1beta2", "MachineHealthCheck.cluster.x-k8s.io/v1beta2"}
		withPauses = func(others map[string][]string) map[string][]string {
			others["upgradepause of Cluster API"] = []string{
				"MachineHealthCheck.cluster.x-k8s.io/v1beta2", "Cluster.cluster.x-k8s.io/v1beta2", "MachineDeployment.cluster.x-k8s.io/v1beta2",
			}
			others["upgradepause of OpenShift"] = []string{"MachineHealthCheck.machine.openshift.io/v1beta1"}
			others["upgradepause by ClusterVersion"] = []string{"ClusterVersion.config.openshift.io/v1"}
			others["upgradepause by MachineConfigPool"] = []string{"MachineConfigPool.machineconfiguration.openshift.io/v1"}
			return others
		}
		withReboots = func(others map[string][]string) map[string][]string {
			record, host := "RebootRemediation.sickbay.dev/v1alpha1", "BareMetalHost.metal3.io/v1alpha1"
			others["reboot of Cluster API"] = []string{record, host, "Machine.cluster.x-k8s.io/v1beta2", "Cluster.cluster.x-k8s.io/v1beta2"}
			others["reboot of OpenShift"] = []string{record, host, "Machine.machine.openshift.io/v1beta1"}
			others["reboot, looking for what was left on hosts"] = []string{record, host}
			return others
		}
		withIntake = func(others map[string][]string) map[string][]string {
			asked, record := "RebootRemediation.sickbay.dev/v1alpha1", "MachineRemediation.sickbay.dev/v1alpha1"
			others["intake of Cluster API"] = []string{asked, record, "Machine.cluster.x-k8s.io/v1beta2", "Cluster.cluster.x-k8s.io/v1beta2"}
			others["intake of OpenShift"] = []string{asked, record, "Machine.machine.openshift.io/v1beta1"}
			return others
		}
		health, checks, pauses = machinehealth.ControllerName, machinehealthcheck.ControllerName, upgradepause.ControllerName
		repairs                = remediation.ControllerName
		withRecords            = func(names string, others map[string][]string) map[string][]string {
			others[names] = clusterAPI
			names = strings.TrimPrefix(names, health+", ")
			others["records of "+names] = append([]string{"MachineRemediation.sickbay.dev/v1alpha1", "MachineRemediationTemplate.sickbay.dev/v1alpha1"}, clusterAPI...)
			return others
		}
	)
	tests := map[string]struct {
		controllers []string
		want        map[string][]string
	}{
		"health":               {[]string{health}, map[string][]string{health: clusterAPI}},
		"admission":            {[]string{checks}, withRecords(checks, map[string][]string{})},
		"repairs":              {[]string{repairs}, withRecords(repairs, map[string][]string{})},
		"health and admission": {[]string{health, checks}, withRecords(health+", "+checks, map[string][]string{})},
		"pauses":               {[]string{pauses}, withPauses(map[string][]string{})},
		"reboots":              {[]string{reboot.ControllerName}, withReboots(map[string][]string{})},
		"everything":           {Controllers(), withIntake(withReboots(withPauses(withRecords(health+", "+checks+", "+repairs, map[string][]string{}))))},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, g := range parts(Options{Controllers: tt.controllers}, &readiness{}, nil) {
				for _, kind := range g.kinds {
					got[g.name] = append(got[g.name], kind.Kind+"."+kind.GroupVersion().String())
				}
			}
			if slices.ContainsFunc(tt.controllers, func(name string) bool { return slices.Contains([]string{health, checks, repairs}, name) }) {
				tt.want["bare-metal hosts"] = append([]string{"BareMetalHost.metal3.io/v1alpha1"}, clusterAPI...)
			}
			if slices.Contains(tt.controllers, repairs) {
				tt.want["records of OpenShift"] = []string{"MachineRemediation.sickbay.dev/v1alpha1", "Machine.machine.openshift.io/v1beta1"}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("parts (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPartsOfTheDashboard: it reads the fleet, whichever controllers run.
func TestPartsOfTheDashboard(t *testing.T) {
	var got []string
	for _, g := range parts(Options{Controllers: []string{upgradepause.ControllerName}}, &readiness{}, &shownFleet{}) {
		if !strings.HasPrefix(g.name, "upgradepause") {
			got = append(got, g.name)
		}
	}
	if diff := cmp.Diff([]string{"dashboard", "bare-metal hosts", "records of dashboard"}, got); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

// TestWhoWaits: half of the workers may wait for slow clusters, but at least one. Without controllers, all may wait.
func TestWhoWaits(t *testing.T) {
	for name, tt := range map[string]struct {
		set  func(*Options)
		want int
	}{
		"usual":       {func(*Options) {}, 5},
		"one worker":  {func(o *Options) { o.Concurrency = 1 }, 1},
		"an observer": {func(o *Options) { o.Controllers = nil }, 0},
	} {
		o := DefaultOptions()
		tt.set(&o)
		if got := o.waiting(); got != tt.want {
			t.Errorf("%s: %d wait at once, want %d", name, got, tt.want)
		}
	}
}
