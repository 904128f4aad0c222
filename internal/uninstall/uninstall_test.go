package uninstall_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/cli"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/uninstall"
)

// manage runs the manager with all its controllers until stop is called.
func manage(t *testing.T, e *env.Env, drain bool) (stop func()) {
	t.Helper()
	options := app.DefaultOptions()
	options.HealthProbeBindAddress, options.MetricsBindAddress = "0", "0"
	options.SkipNameValidation, options.LeaderElect, options.LeaderElectNamespace = true, true, "default"
	options.Policy.Drain = drain
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.New(ctx, e.Config, options)
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("running the manager: %v", err)
		}
		ended <- nil
	}
	t.Cleanup(stop)
	return stop
}

// command runs sickbay uninstall from the command line.
func command(t *testing.T, e *env.Env, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path := env.Kubeconfig(t, e.Config, "root", "")
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), append([]string{"uninstall", "--kubeconfig", path}, args...), &out, &errs)
	return code, out.String(), errs.String()
}

// dump returns all stored objects, by kind and name, except definitions, and events, which expire.
func dump(t *testing.T, e *env.Env) map[string]string {
	t.Helper()
	known, err := discovery.NewDiscoveryClientForConfigOrDie(e.Config).ServerPreferredResources()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, list := range known {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			t.Fatal(err)
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || slices.Contains([]string{"Event", "CustomResourceDefinition", "APIService"}, resource.Kind) {
				continue
			}
			objs := &unstructured.UnstructuredList{}
			objs.SetGroupVersionKind(version.WithKind(resource.Kind + "List"))
			if err := e.Client.List(t.Context(), objs); err != nil {
				t.Fatal(err)
			}
			for _, obj := range objs.Items {
				if obj.GetNamespace() == "kube-system" {
					// Kubernetes itself keeps writing here.
					continue
				}
				data, err := json.MarshalIndent(obj.Object, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				all[fmt.Sprintf("%s %s/%s", resource.Kind, obj.GetNamespace(), obj.GetName())] = string(data)
			}
		}
	}
	return all
}

// yours are the lines that people wrote and that contain the word sickbay.
var yours = []string{
	`"sickbay.dev/pause-on-upgrade": "false"`, `"sickbay.dev/max-in-flight": `, `"sickbay.dev/remediation": "reboot"`, `"cluster.x-k8s.io/paused": "sickbay"`,
	`"f:sickbay.dev/pause-on-upgrade": {}`, `"f:sickbay.dev/max-in-flight": {}`, `"f:sickbay.dev/remediation": {}`,
	`"apiVersion": "sickbay.dev/v1alpha1"`,
	// It gave back the annotation that hands over.
	`"manager": "sickbay-upgradepause"`,
}

// kept are the kinds that stay: the history of repairs, plans, and the lease of the manager.
var kept = []string{"MachineRemediation ", "MachineRemediationTemplate ", "RebootRemediation ", "RebootRemediationTemplate ", "Lease "}

// traces returns the lines of a dump that name Sickbay and that nobody else wrote. A name in the managed fields that owns nothing is no trace.
func traces(all map[string]string) (found []string) {
	for name, text := range all {
		if slices.ContainsFunc(kept, func(kind string) bool { return strings.HasPrefix(name, kind) }) {
			continue
		}
		for line := range strings.SplitSeq(text, "\n") {
			line = strings.TrimSpace(line)
			if strings.Contains(strings.ToLower(line), "sickbay") && !slices.ContainsFunc(yours, func(known string) bool { return strings.HasPrefix(line, known) }) {
				found = append(found, name+": "+line)
			}
		}
	}
	slices.Sort(found)
	return found
}

// words returns the objects of a dump with words that Sickbay writes and that do not name it.
func words(all map[string]string) (found []string) {
	for name, text := range all {
		if slices.ContainsFunc(kept, func(kind string) bool { return strings.HasPrefix(name, kind) }) {
			continue
		}
		for _, word := range []string{"HealthCheckSucceeded", "OwnerRemediated", "RemediationAllowed", "HostHealthy", "reboot.metal3.io", "paused-for-upgrade", "expectedMachines", "FixRemediation ", "resumed-at", "capi.metal3.io/unhealthy"} {
			if strings.Contains(name+" "+text, word) {
				found = append(found, name+": "+word)
			}
		}
	}
	slices.Sort(found)
	return found
}

// TestNoTrace: the manager repairs machines in every way, and is stopped meanwhile. Then it drains, and the command waits until nothing that it
// wrote is left on living objects. Everything that people wrote is.
func TestNoTrace(t *testing.T) {
	e, g := env.Get(t), NewWithT(t)
	stop := manage(t, e, false)
	t.Run("scenes", func(t *testing.T) {
		for name, play := range scenes {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				play(newScene(t))
			})
		}
	})
	before := dump(t, e)
	g.Expect(traces(before)).NotTo(BeEmpty())
	for _, word := range []string{"OwnerRemediated", "reboot.metal3.io/sickbay-", "paused-for-upgrade", "FixRemediation ", "sickbay.dev/upgrades-handled", "capi.metal3.io/unhealthy"} {
		g.Expect(fmt.Sprint(before)).To(ContainSubstring(word), "the scenes must leave it")
	}

	code, _, stderr := command(t, e, "--timeout=1s")
	g.Expect(code).To(Equal(1), "the manager does not drain")
	g.Expect(stderr).To(ContainSubstring("leads, and does not drain, so it would write everything again"))
	stop()

	before = dump(t, e)
	code, shown, stderr := command(t, e, "--dry-run")
	g.Expect(code).To(Equal(0), shown+stderr)
	g.Expect(stderr).To(ContainSubstring("No manager leads, so nobody takes this back"))
	g.Expect(dump(t, e)).To(Equal(before), "a dry run writes nothing")

	// The manager is stopped meanwhile; the next one goes on.
	left := func() int {
		seen, err := uninstall.Look(t.Context(), e.Client, "", time.Now())
		g.Expect(err).NotTo(HaveOccurred())
		return len(seen.Left())
	}
	for range 3 {
		before, stop := left(), manage(t, e, true)
		g.Eventually(left, time.Minute, 10*time.Millisecond).Should(Or(BeNumerically("<", before), BeZero()))
		stop()
	}
	manage(t, e, true)
	code, out, stderr := command(t, e, "--timeout=4m")
	g.Expect(code).To(Equal(0), out+stderr)
	g.Expect(out).To(HaveSuffix("Nothing that Sickbay has written is left\n"))
	after := dump(t, e)
	g.Expect(traces(after)).To(BeEmpty())
	g.Expect(words(after)).To(BeEmpty())
	for _, written := range yours[:3] {
		g.Expect(strings.Count(fmt.Sprint(after), written)).To(Equal(strings.Count(fmt.Sprint(before), written)), written)
	}
	g.Expect(fmt.Sprint(after)).To(ContainSubstring(yours[3]), "what was handed over stays so")

	code, out, stderr = command(t, e, "--yes", "--annotations")
	g.Expect(code).To(Equal(0), out+stderr)
	after = dump(t, e)
	g.Expect(traces(after)).To(BeEmpty())
	g.Expect(fmt.Sprint(after)).NotTo(Or(ContainSubstring("sickbay.dev/max-in-flight"), ContainSubstring(`"cluster.x-k8s.io/paused": "sickbay"`)))
}
