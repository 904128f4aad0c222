package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// scenes are fleets, and the object to explain.
var scenes = map[string]struct {
	opts  []build.MachineHealthCheckOption
	build func(f *harness)
	asked Asked
	// says is a part of the explanation.
	says string
}{
	"healthy":  {nil, func(f *harness) { f.healthy("m1") }, Asked{"", "m1"}, "HEALTHY since"},
	"admitted": {nil, func(f *harness) { f.sick("m1"); f.healthy("m2") }, Asked{"machine", "m1"}, "about to be repaired"},
	"the gate is closed": {[]build.MachineHealthCheckOption{build.TriggerIfAtMost(intstr.FromString("30%"))}, func(f *harness) {
		for _, name := range []string{"m1", "m2", "m3"} {
			f.sick(name, inZone("eu-1b"))
		}
		f.healthy("m4", inZone("eu-1a"))
	}, Asked{"machine", "m2"}, "the gate is closed"},
	"no slot is free": {[]build.MachineHealthCheckOption{build.Annotation(mhcspec.MaxInFlightAnnotation, "1")}, func(f *harness) {
		f.admit(f.sick("m1"), reboot, replace)
		f.sick("m2")
	}, Asked{"machine", "m2"}, "waiting for a slot"},
	"in a plan":  {nil, func(f *harness) { f.admit(f.sick("m1"), reboot, replace) }, Asked{"machine", "m1"}, "reboot 2 of 2 is running"},
	"a record":   {nil, func(f *harness) { f.admit(f.sick("m1"), reboot, replace); f.sick("m2") }, Asked{"mr", ""}, "Acting, for"},
	"to approve": {nil, func(f *harness) { f.admit(f.sick("m1"), replace) }, Asked{"node", "node-m1"}, "waiting for approval"},
	"held":       {nil, func(f *harness) { f.admit(f.sick("m1"), ask) }, Asked{"machine", "m1"}, "HELD"},
	"paused": {[]build.MachineHealthCheckOption{build.Annotation(clusterv1.PausedAnnotation, "maintenance")}, func(f *harness) { f.sick("m1") },
		Asked{"machine", "m1"}, "PAUSED"},
	"on hold": {
		[]build.MachineHealthCheckOption{
			build.Annotation(mhcspec.HoldUntilAnnotation, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)), build.Annotation(mhcspec.HoldReasonAnnotation, "Ann changes the switch"),
		},
		func(f *harness) { f.sick("m1") }, Asked{"mhc", "workers"}, "ON HOLD",
	},
	"a plan that is missing": {[]build.MachineHealthCheckOption{build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), "metal")}, func(f *harness) { f.sick("m1") },
		Asked{"machine", "m1"}, "the remediation template is missing"},
	"a template of others": {[]build.MachineHealthCheckOption{build.TemplateRef(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), "patch-panel")}, func(f *harness) {
		f.create(build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "patch-panel", map[string]any{"token": planted}))
		f.sick("m1")
	}, Asked{"machine", "m1"}, "about to be repaired"},
	"a template that is missing": {[]build.MachineHealthCheckOption{build.TemplateRef(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), "patch-panel")}, func(f *harness) { f.sick("m1") },
		Asked{"mhc", "workers"}, "1 waits for its remediation template"},
	"a kind that is missing": {[]build.MachineHealthCheckOption{build.TemplateRef(env.RemediationGroupVersion.WithKind("NoneTemplate"), "fix")}, func(f *harness) { f.sick("m1") },
		Asked{"mhc", "workers"}, "1 waits for its remediation template"},
	"cannot be read": {nil, func(f *harness) {
		f.sick("m1")
		f.healthy("m2")
		f.nodes.CutOff(client.ObjectKeyFromObject(f.cluster), f.now.Add(-3*time.Minute))
	}, Asked{"cluster", "blue"}, "2 machines"},
	"the Node is gone": {nil, func(f *harness) {
		f.healthy("m1")
		f.nodes.Remove(client.ObjectKeyFromObject(f.cluster), "node-m1")
	}, Asked{"machine", "m1"}, "HEALTHY since"},
	"about to be sick": {nil, func(f *harness) {
		f.healthy("m1")
		f.nodes.Put(client.ObjectKeyFromObject(f.cluster), build.Node("node-m1", build.NodeReady(metav1.ConditionUnknown, f.now.Add(-2*time.Minute))))
	}, Asked{"machine", "m1"}, "HEALTHY since"},
	"gone": {nil, func(f *harness) {
		f.admit(build.Machine(f.ns, "m1", build.InCluster("blue"), build.UID("gone"), f.sickFor(41*time.Minute)), ask)
	}, Asked{"machine", "m1"}, "GONE"},
	"being deleted": {nil, func(f *harness) { f.sick("m1", build.Deleting(f.now)) }, Asked{"machine", "m1"}, "BEING DELETED"},
	"a host": {nil, func(f *harness) {
		f.admit(f.sick("m1"), reboot, replace)
		f.host("rack2-u7", "m1", "reboot.metal3.io/firmware")
		f.host("rack2-u8", "green-1")
	}, Asked{"host", "rack2-u7"}, "OFF, belongs to m1"},
	"a machine on a host with an error": {[]build.MachineHealthCheckOption{build.Annotation(mhcspec.HostErrorTimeoutAnnotation, "10m")}, func(f *harness) {
		f.healthy("m1", build.Condition(verdict.HostConditionType, metav1.ConditionFalse, verdict.ReasonHostError, f.now.Add(-time.Hour)).WithMessage("Host rack2-u7 has an error: error"))
		f.host("rack2-u7", "m1")
	}, Asked{"machine", "m1"}, "HEALTHY since"},
	"an owner that waits for a person": {nil, func(f *harness) {
		f.sick("m1")
		f.ofOldRevision()
	}, Asked{"machine", "m1"}, "has the strategy OnDelete"},
	"no Cluster": {nil, func(f *harness) {
		f.sick("m1")
		if err := f.env.Client.Delete(f.t.Context(), f.cluster); err != nil {
			f.t.Fatal(err)
		}
	}, Asked{"mhc", "workers"}, "does not exist"},
}

func inZone(zone string) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.FailureDomain = zone })
}

// TestReplaySaysTheSame: in each scene, the explanations from the API server, from the bundle and from the bundle's file are the
// same, byte for byte.
func TestReplaySaysTheSame(t *testing.T) {
	for name, scene := range scenes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t, scene.opts...)
			scene.build(f)
			// A cluster that is unrelated.
			f.create(build.Cluster(f.ns, "green"), build.Machine(f.ns, "green-1", build.InCluster("green")))
			facts, err := f.observer().Look(t.Context(), f.ns)
			if err != nil {
				t.Fatal(err)
			}
			if scene.asked.Name == "" {
				scene.asked.Name = facts.Records[0].Record.Name
			}
			want := textOf(facts.Of(scene.asked.Kind, scene.asked.Name))
			if !strings.Contains(want, scene.says) {
				t.Fatalf("it does not say %q:\n%s", scene.says, want)
			}
			b := f.collect(scene.asked)
			pages, err := Replay(t.Context(), b, f.env.Scheme)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, textOf(pages)); diff != "" || !b.SameDecision(pages) {
				t.Errorf("(-explained +replayed):\n%s", diff)
			}
			if text := f.text(b); strings.Contains(text, "green") || strings.Contains(text, planted) {
				t.Errorf("what does not belong to it is in it:\n%s", text)
			}
			f.redacts(b, want)
		})
	}
}

// redacts checks that a redacted bundle says the same with other names, and contains none of the original ones.
func (f *harness) redacts(b *Bundle, want string) {
	f.t.Helper()
	tree, err := treeOf(b)
	if err != nil {
		f.t.Fatal(err)
	}
	other := newRedactor(tree)
	redacted, err := b.Redact(f.t.Context(), f.env.Scheme)
	if err != nil {
		f.t.Fatal(err)
	}
	pages, err := Replay(f.t.Context(), redacted, f.env.Scheme)
	if err != nil {
		f.t.Fatal(err)
	}
	if diff := cmp.Diff(other.text(want), textOf(pages)); diff != "" || !redacted.SameDecision(pages) {
		f.t.Errorf("(-explained +replayed with other names):\n%s", diff)
	}
	text := f.text(redacted)
	for _, name := range []string{f.ns, "blue", "md-0", "workers", "m1", "m2", "node-m", "metal", "eu-1", "patch", "rack2", "Ann", "switch"} {
		for line := range strings.Lines(text) {
			if strings.Contains(line, name) && !strings.Contains(line, "metal3.io") && !strings.Contains(line, "uid:") {
				f.t.Errorf("%q is in it: %s", name, line)
			}
		}
	}
}

// collect collects a bundle, and returns it after writing and reading it.
func (f *harness) collect(asked Asked) *Bundle {
	f.t.Helper()
	b, err := Collect(f.t.Context(), f.observer(), f.ns, asked, "v1", f.env.Scheme)
	if err != nil {
		f.t.Fatal(err)
	}
	read, err := Unmarshal([]byte(f.text(b)))
	if err != nil {
		f.t.Fatal(err)
	}
	return read
}

func (f *harness) text(b *Bundle) string {
	f.t.Helper()
	data, err := b.Marshal()
	if err != nil {
		f.t.Fatal(err)
	}
	return string(data)
}

func textOf(pages []explain.Page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(p.Name + ": " + p.Headline + "\n")
		for _, row := range p.Rows {
			b.WriteString(row.Label + ": " + row.Text + "\n")
		}
		for _, next := range p.Next {
			b.WriteString(next.At.UTC().Format(time.RFC3339Nano) + " " + next.Name + " " + next.What + "\n")
		}
	}
	return b.String()
}

// planted must not get into a bundle.
const planted = "c0rrect-h0rse"

// TestNoSecrets: secrets in any of the objects that are read do not get into the bundle.
func TestNoSecrets(t *testing.T) {
	f := newHarness(t, build.TemplateRef(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), "patch-panel"),
		build.Annotation(corev1.LastAppliedConfigAnnotation, `{"token":"`+planted+`"}`), build.Annotation("example.com/token", planted))
	f.create(
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "blue-kubeconfig"}, StringData: map[string]string{"value": planted}},
		build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), f.ns, "patch-panel", map[string]any{"password": planted}),
	)
	request := build.RemediationTemplate(env.RemediationGroupVersion.WithKind(env.RemediationKind), f.ns, "m1", map[string]any{"password": planted})
	request.Object["data"] = map[string]any{"password": planted}
	machine := f.sick("m1", build.Annotation("example.com/token", planted), build.MachineFunc(func(m *clusterv1.Machine) {
		m.Spec.ProviderID = "it://" + planted
		m.Status.Addresses = clusterv1.MachineAddresses{{Type: clusterv1.MachineHostName, Address: planted}}
	}))
	f.create(request)
	f.nodes.Put(client.ObjectKeyFromObject(f.cluster), build.Node("node-m1", build.NodeReady(metav1.ConditionUnknown, f.now.Add(-time.Hour)),
		build.Annotation("example.com/token", planted), build.Label("token", planted)))
	step := v1alpha1.RemediationStep{Name: "fix", Action: v1alpha1.ActionRequest, TimeoutSeconds: new(int32(3600)), TemplateRef: &v1alpha1.StepTemplateReference{
		APIVersion: env.RemediationGroupVersion.String(), Kind: env.RemediationTemplateKind, Name: "patch-panel",
	}}
	f.admit(machine, step)
	b := f.collect(Asked{"machine", "m1"})
	if len(b.Pages) != 1 || len(b.Objects) < 4 {
		t.Errorf("there are %d pages and %d objects", len(b.Pages), len(b.Objects))
	}
	text := f.text(b)
	if strings.Contains(text, planted) || strings.Contains(text, "kind: Secret") {
		t.Errorf("a secret is in it:\n%s", text)
	}
	if err := (snapshotReader{newSnapshot(f.env.Scheme), f.env.Client}).Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: "blue-kubeconfig"}, &corev1.Secret{}); err == nil {
		t.Error("a bundle reads Secrets")
	}
}

// TestReadIsBounded: Read does not read a file that is too large for a bundle.
func TestReadIsBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// The file is sparse, and takes no space on the disk.
	if err := os.Truncate(file, 1<<40); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "is not a bundle: it is larger than 256 MiB") {
		t.Errorf("it ends with %v", err)
	}
}
