package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// Bad input gives one clear line and exit code 2, and starts nothing.
func TestBadInput(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"unknown flag":                 {[]string{"manager", "--colour=blue"}, "unknown flag: --colour"},
		"unknown command":              {[]string{"pods"}, `unknown command "pods" for "sickbay"`},
		"almost a command":             {[]string{"manger"}, `unknown command "manger" for "sickbay": did you mean manager?`},
		"argument instead of a flag":   {[]string{"manager", "leader-elect"}, `sickbay manager takes no arguments, but got "leader-elect"`},
		"number that is none":          {[]string{"manager", "--concurrency=lots"}, `invalid argument "lots" for "--concurrency"`},
		"duration without a unit":      {[]string{"manager", "--sync-period=10"}, `invalid argument "10" for "--sync-period"`},
		"unknown adoption":             {[]string{"manager", "--adopt=none"}, `--adopt is "none": it must be "all" or "handed-over"`},
		"no workers":                   {[]string{"manager", "--concurrency=0"}, "--concurrency is 0: it must be at least 1"},
		"no requests":                  {[]string{"manager", "--kube-api-qps=0"}, "--kube-api-qps is 0: it must be above 0"},
		"address without a port":       {[]string{"manager", "--metrics-bind-address=localhost"}, `--metrics-bind-address is "localhost": it must be host:port, or 0 for none`},
		"port that is none":            {[]string{"manager", "--health-probe-bind-address=:x"}, `--health-probe-bind-address is ":x"`},
		"address of profiles":          {[]string{"manager", "--pprof-bind-address=1234"}, `--pprof-bind-address is "1234"`},
		"negative grace period":        {[]string{"manager", "--remote-conditions-grace-period=-1s"}, "it must not be negative"},
		"no time to answer":            {[]string{"manager", "--remote-connect-timeout=0"}, "--remote-connect-timeout is 0s"},
		"unknown log format":           {[]string{"manager", "--logging-format=xml"}, "xml"},
		"Secrets in the log":           {[]string{"manager", "--v=8"}, "--v is 8: it must be at most 7, because higher levels log Secrets"},
		"Secrets in a part of it":      {[]string{"manager", "--vmodule=request=9"}, "--vmodule has 9 for request: it must be at most 7, because higher levels log Secrets"},
		"kubeconfig that is not there": {[]string{"manager", "--kubeconfig=/does/not/exist"}, "reading --kubeconfig"},
		"no controllers":               {[]string{"manager", "--controllers="}, "--controllers is empty: it must name at least one of machinehealth, machinehealthcheck, remediation, upgradepause, reboot"},
		"unknown controller":           {[]string{"manager", "--controllers=upgradepause,reboots"}, `--controllers has "reboots": each must be one of machinehealth, machinehealthcheck, remediation, upgradepause, reboot`},
		"no pause without a warning":   {[]string{"manager", "--max-upgrade-pause-warning=0"}, "--max-upgrade-pause-warning is 0s: it must be above 0"},
		"external, without reboots":    {[]string{"manager", "--openshift-external-remediation", "--controllers=machinehealth"}, "--openshift-external-remediation needs the controller intake"},
		"negative pause":               {[]string{"manager", "--max-upgrade-pause-warning=-1h"}, "--max-upgrade-pause-warning is -1h0m0s: it must be above 0"},
		"two mistakes at once":         {[]string{"manager", "--adopt=none", "--concurrency=0"}, "; "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := offline(t, test.args...)
			got.ends(t, exitUsage, test.want)
			if got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.HasPrefix(got.stderr, "sickbay: ") {
				t.Errorf("said %q and %q, want one line", got.stdout, got.stderr)
			}
		})
	}
}

// TestNoCluster: without a kubeconfig, the error says what to set.
func TestNoCluster(t *testing.T) {
	t.Setenv("KUBECONFIG", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	for command, exit := range map[string]int{"status": exitFailure, "history": exitFailure, "simulate": exitUsage} {
		got := offline(t, command)
		if want := "sickbay: no management cluster is configured: set --kubeconfig or $KUBECONFIG\n"; got.code != exit || got.stderr != want {
			t.Errorf("%s: exit code %d, said %q, want %q", command, got.code, got.stderr, want)
		}
	}
}

// TestKubeconfigs: one sentence says what is wrong with a kubeconfig, and with one whose server does not answer.
func TestKubeconfigs(t *testing.T) {
	dead := env.Kubeconfig(t, &rest.Config{Host: "https://127.0.0.1:1"}, "root", "")
	garbage := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(garbage, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const unreached = "cannot reach the management cluster at https://127.0.0.1:1 (context it): connection refused"
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"status":                      {[]string{"status", "--kubeconfig", dead}, exitFailure, unreached},
		"history":                     {[]string{"history", "--kubeconfig", dead}, exitFailure, unreached},
		"simulate":                    {[]string{"simulate", "--kubeconfig", dead}, exitUsage, unreached},
		"approve":                     {[]string{"approve", "metal-3", "--yes", "--kubeconfig", dead}, exitFailure, unreached},
		"hold":                        {[]string{"hold", "metal-3", "--for=1h", "--yes", "--kubeconfig", dead, "--context=it"}, exitFailure, unreached},
		"uninstall":                   {[]string{"uninstall", "--dry-run", "--kubeconfig", dead}, exitFailure, unreached},
		"garbage":                     {[]string{"status", "--kubeconfig", garbage}, exitUsage, `"` + garbage + `" is no kubeconfig`},
		"a context that is not there": {[]string{"approve", "metal-3", "--yes", "--kubeconfig", dead, "--context=nope"}, exitUsage, "the kubeconfig has no context nope; it has: it"},
		"and in the fleet":            {[]string{"status", "--kubeconfig", dead, "--context=nope"}, exitUsage, "the kubeconfig has no context nope; it has: it"},
	} {
		if got := offline(t, tt.args...); got.code != tt.code || got.stderr != "sickbay: "+tt.want+"\n" {
			t.Errorf("%s: exit code %d, said %s", name, got.code, got.stderr)
		}
	}
}

func TestVersion(t *testing.T) {
	offline(t, "version").ends(t, exitOK, "sickbay dev ")
}
