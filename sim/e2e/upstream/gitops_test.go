package upstream_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// appliers are what Argo CD and Flux do when they heal what is in Git, as arguments of kubectl.
var appliers = map[string][]string{
	"argocd":             {"apply"},
	"argocd-server-side": {"apply", "--server-side", "--force-conflicts", "--field-manager=argocd-controller"},
	"flux":               {"apply", "--server-side", "--force-conflicts", "--field-manager=kustomize-controller"},
}

// TestSelfHealing: MachineHealthChecks are in Git, with the annotation or without it, and are applied again and again while their Cluster
// upgrades. Nobody takes back what another has written.
func TestSelfHealing(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	spec := world.ClusterSpec{Namespace: "git", Name: "git", Annotations: map[string]string{pause.OptionAnnotation: "true"}}
	harness.Cluster(t, spec)
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: spec.Namespace, Name: spec.Name}}
	label := fmt.Sprintf(`{"metadata":{"labels":{%q:"true"}}}`, adoption.Label)
	g.Expect(harness.World.Client().Patch(t.Context(), cluster, client.RawPatch("application/merge-patch+json", []byte(label)))).To(Succeed())
	harness.Sickbay(t, spec.Namespace, "--adopt=handed-over")

	// How often each is to be adopted: those with the annotation are Sickbay's without that.
	adopted := map[*clusterv1.MachineHealthCheck]int{}
	files := map[string]string{}
	for by := range appliers {
		var text strings.Builder
		for name, annotations := range map[string]string{by: "", by + "-annotated": fmt.Sprintf("  annotations: {%s: sickbay}\n", clusterv1.PausedAnnotation)} {
			fmt.Fprintf(&text, "---\napiVersion: %s\nkind: MachineHealthCheck\nmetadata:\n  namespace: git\n  name: %s\n%s", clusterv1.GroupVersion, name, annotations)
			fmt.Fprintf(&text, "spec: {clusterName: git, selector: {matchLabels: {of: %s}}}\n", name)
			mhc := &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: "git", Name: name}}
			adopted[mhc] = 0
			if annotations == "" {
				adopted[mhc] = 1
			}
		}
		files[by] = filepath.Join(t.TempDir(), "checks.yaml")
		g.Expect(os.WriteFile(files[by], []byte(text.String()), 0o600)).To(Succeed())
	}
	rounds, stop := heal(t, files)
	more := func() {
		t.Helper()
		had := rounds.Load()
		g.Eventually(rounds.Load).Should(BeNumerically(">", had+5))
	}
	more()
	g.Expect(fault.Upgrade{Cluster: spec.Key(), Version: "v1.36.4"}.Inject(t.Context(), harness.World)).To(Succeed())
	for mhc := range adopted {
		awaitPause(t, mhc, mhcspec.HandedOverValue, mhcspec.HandedOverValue)
	}
	more()
	stop()
	for mhc, times := range adopted {
		expectKept(g, mhc)
		events := told(t, mhc)
		g.Expect(events[adoption.EventAdopted]).To(Equal(times), "%s: %v", mhc.Name, events)
		g.Expect(events).To(HaveKeyWithValue(upgradepause.EventPaused, 1), mhc.Name)
		g.Expect(events).NotTo(Or(HaveKey(upgradepause.EventOverridden), HaveKey(adoption.EventGivenBack)), mhc.Name)
	}
}

// heal applies files in a loop, each in the way of its applier, until it is stopped. It returns how often it has applied all of them.
func heal(t *testing.T, files map[string]string) (rounds *atomic.Int64, stop func()) {
	t.Helper()
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	NewWithT(t).Expect(harness.World.WriteKubeconfig(kubeconfig)).To(Succeed())
	ctx, cancel := context.WithCancel(t.Context())
	rounds, ended := &atomic.Int64{}, make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			for by, args := range appliers {
				kubectl := exec.CommandContext(ctx, filepath.Join(world.AssetsDir(), "kubectl"), slices.Concat(args, []string{"--kubeconfig=" + kubeconfig, "--cache-dir=" + dir, "--filename=" + files[by]})...)
				if out, err := kubectl.CombinedOutput(); err != nil && ctx.Err() == nil {
					t.Errorf("%s: %v\n%s", by, err, out)
					return
				}
			}
			rounds.Add(1)
		}
	}()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return rounds, stop
}
