package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestUninstall: it shows what it found, asks, takes it back and reports the result. Afterwards nothing is left.
func TestUninstall(t *testing.T) {
	s := newShell(t)
	s.lease("")
	machine := s.machine("metal-3", build.Annotation("sickbay.dev/hold-until", "2026-11-23T08:00:00Z"))
	s.admit(machine, replace)
	if err := remedy.Mark(t.Context(), s.c, machine, fellSick); err != nil {
		t.Fatal(err)
	}
	s.golden("uninstall-dry-run", s.run("uninstall", "--dry-run"), exitOK)
	s.says(s.run("uninstall"), exitUsage, "cannot ask for confirmation, because standard input is not a terminal: use --yes to write without asking, or --dry-run to see what would be written")
	s.says(s.run("uninstall", "--crds", "--yes"), exitUsage, "--crds and --namespace cannot be used together: kinds exist in all namespaces")
	s.golden("uninstall", s.run("uninstall", "--yes"), exitOK)
	s.golden("uninstall-again", s.run("uninstall", "--yes"), exitOK)
	if err := s.c.Get(t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil || machine.Annotations["sickbay.dev/hold-until"] == "" {
		t.Errorf("what people have written is gone: %v %v", machine.Annotations, err)
	}
}

// TestUninstallAsks: without a yes, nothing is written.
func TestUninstallAsks(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	person := s.terminal()
	go typed(t, person, "n")
	if got := s.run("uninstall"); got.code != exitFailure {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
	s.stored(r)
}

// TestUninstallRefuses: nothing is written while a manager leads, or while that cannot be determined.
func TestUninstallRefuses(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	s.may("jo", rule("sickbay.dev", "*", "*"), rule("cluster.x-k8s.io", "*", "*"))
	got := s.run("uninstall", "--yes", "--as", "jo")
	if got.code != exitFailure {
		t.Errorf("exit code is %d", got.code)
	}
	for _, want := range []string{"not read: leases: ", "sickbay: cannot check whether a manager leads: you may not read leases; --ignore-leader continues anyway\n"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("said %s, want %q in it", got.stderr, want)
		}
	}
	s.lease("manager-0")
	const leads = "a manager leads, and would write this again: manager-0 (lease fleet/sickbay-manager). " +
		"Stop it (kubectl scale --replicas=0); if it was killed, wait 75 seconds; --ignore-leader continues anyway"
	s.says(s.run("uninstall", "--yes"), exitFailure, leads)
	if got := s.run("uninstall", "--dry-run"); got.code != exitOK || s.scrub(got.stderr) != "would be refused: "+leads+"\n" {
		t.Errorf("a dry-run ends with %d: %s", got.code, got.stderr)
	}
	s.stored(r)
	if got := s.run("uninstall", "--yes", "--ignore-leader", "--as", "jo"); got.code != exitFailure || !strings.Contains(got.stdout, "is left on the objects that could be read") {
		t.Errorf("what could not be read must not end well: %s%s", got.stdout, got.stderr)
	}
	if err := s.c.Get(t.Context(), client.ObjectKeyFromObject(r), r); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("the record is there: %v", err)
	}
}

// lease creates the lease of a manager for the time of the test, with or without a holder.
func (s *shell) lease(holder string) {
	s.t.Helper()
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: scope.DefaultLease, Labels: map[string]string{scope.Label: ""}},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: new(holder), LeaseDurationSeconds: new(int32(600)), RenewTime: new(metav1.NewMicroTime(time.Now())),
		},
	}
	build.Create(s.t.Context(), s.t, s.c, lease)
	s.t.Cleanup(func() { _ = s.c.Delete(context.WithoutCancel(s.t.Context()), lease) })
}

// TestUninstallWithoutLease: without a lease, a manager may be running that nobody sees. That is said, and does not stop the command.
func TestUninstallWithoutLease(t *testing.T) {
	s := newShell(t)
	s.admit(s.machine("metal-3"), replace)
	const unknown = "It is unknown whether a manager is running: there is no lease sickbay-manager; it may run without leader election. " +
		"If one is, stop it first (kubectl scale --replicas=0), or it writes this again\n"
	for _, args := range [][]string{{"--dry-run"}, {"--yes"}} {
		if got := s.run(append([]string{"uninstall"}, args...)...); got.code != exitOK || got.stderr != unknown {
			t.Errorf("%s ends with %d, and says %q", args, got.code, got.stderr)
		}
	}
	if got := s.run("uninstall", "--yes"); got.stderr != "" {
		t.Errorf("with nothing to take back it says %q", got.stderr)
	}
	s.admit(s.machine("metal-4"), replace)
	if got := s.run("uninstall", "--yes", "--ignore-leader"); got.code != exitOK || got.stderr != "" {
		t.Errorf("who ignores leaders reads %q, with %d", got.stderr, got.code)
	}
}

// TestUninstallServesNodes: a Node in a workload cluster gets back what a power cycle removed. The connection uses the kubeconfig that Cluster API
// keeps.
func TestUninstallServesNodes(t *testing.T) {
	s := newShell(t)
	data, err := os.ReadFile(s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	node := build.Node("node-of-" + s.ns)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "blue-kubeconfig"}, Data: map[string][]byte{"value": data}}
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.ns, Name: "metal-3", Labels: map[string]string{clusterv1.ClusterNameLabel: "blue"}, Finalizers: []string{"sickbay.dev/reboot-node"},
	}}
	request.Status = v1alpha1.RebootRemediationStatus{Phase: v1alpha1.PoweringOn, MachineUID: "u-1", Node: &v1alpha1.NodeRecord{
		Name: node.Name, UID: "u-2", OutOfService: true, Backup: &v1alpha1.NodeBackup{TakenAt: metav1.Now(), Labels: map[string]string{"team": "a"}},
	}}
	build.Create(t.Context(), t, s.c, node, secret, request)
	if got := s.run("uninstall", "--yes"); got.code != exitOK {
		t.Errorf("exit code is %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if err := s.c.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil || node.Labels["team"] != "a" {
		t.Errorf("the Node has labels %v: %v", node.Labels, err)
	}
}

// TestUninstallRunsNoCommandOfAKubeconfig: the people who may write a workload cluster's kubeconfig are not always the people who run the command.
// So it refuses a kubeconfig that names a command, and says so.
func TestUninstallRunsNoCommandOfAKubeconfig(t *testing.T) {
	s := newShell(t)
	ran := filepath.Join(t.TempDir(), "ran")
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	config.AuthInfos["it"] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: "touch", Args: []string{ran}, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}}
	config.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "it"}
	config.CurrentContext = "it"
	data, err := clientcmd.Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "red-kubeconfig"}, Data: map[string][]byte{"value": data}}
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: s.ns, Name: "metal-4", Labels: map[string]string{clusterv1.ClusterNameLabel: "red"}, Finalizers: []string{"sickbay.dev/reboot-node"},
	}}
	request.Status = v1alpha1.RebootRemediationStatus{Phase: v1alpha1.PoweringOn, MachineUID: "u-1", Node: &v1alpha1.NodeRecord{
		Name: "n", UID: "u-2", OutOfService: true, Backup: &v1alpha1.NodeBackup{TakenAt: metav1.Now(), Labels: map[string]string{"team": "a"}},
	}}
	build.Create(t.Context(), t, s.c, secret, request)
	got := s.run("uninstall", "--yes")
	if got.code != exitFailure || !strings.Contains(got.stdout, "the kubeconfig secret red-kubeconfig cannot be used: it names") {
		t.Errorf("exit code is %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the command was run")
	}
	if got := s.run("uninstall", "--yes", "--leave-nodes"); got.code != exitOK {
		t.Errorf("exit code is %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
