package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	reboots "github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// infrastructure is the kind of the infrastructure machines.
var infrastructure = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "DevMachine"}

// metal stores a Machine whose infrastructure machine names a BareMetalHost.
func (s *shell) metal(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.t.Helper()
	s.infra(name, map[string]string{reboots.HostAnnotation: s.ns + "/host-of-" + name})
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "host-of-" + name}}
	host.Spec.Online = true
	build.Create(s.t.Context(), s.t, s.c, host)
	host.Status.Provisioning.State, host.Status.PoweredOn = metal3v1.StateProvisioned, true
	if err := s.c.Status().Update(s.t.Context(), host); err != nil {
		s.t.Fatal(err)
	}
	return s.machine(name, opts...)
}

// infra stores an infrastructure machine.
func (s *shell) infra(name string, annotations map[string]string) {
	s.t.Helper()
	infra := &unstructured.Unstructured{}
	infra.SetGroupVersionKind(infrastructure)
	infra.SetNamespace(s.ns)
	infra.SetName(name)
	infra.SetAnnotations(annotations)
	build.Create(s.t.Context(), s.t, s.c, infra)
}

// askedFor returns the records of a machine that somebody asked for.
func (s *shell) askedFor() []v1alpha1.MachineRemediation {
	s.t.Helper()
	all := objects.List(s.t, s.c, &v1alpha1.MachineRemediationList{}, s.ns)
	var asked []v1alpha1.MachineRemediation
	for _, r := range all.Items {
		if r.Spec.AskedFor() {
			asked = append(asked, r)
		}
	}
	return asked
}

// TestReboot: a person asks for a power cycle once, with few rights, and sees what that does.
func TestReboot(t *testing.T) {
	s := newShell(t)
	machine := s.metal("metal-3", build.NodeRef("metal-3"))
	s.may("alice", rule("cluster.x-k8s.io", "*", "get"), rule("sickbay.dev", "machineremediations", "list", "create"))
	run := []string{"reboot", "metal-3", "--reason=new firmware", "--as=alice"}
	if got := s.run(append(run, "--dry-run")...); got.code != exitOK || len(s.askedFor()) > 0 {
		t.Errorf("--dry-run ends with %d, and there are %d: %s", got.code, len(s.askedFor()), got.stderr)
	}
	s.golden("reboot", s.run(append(run, "--yes")...), exitOK)
	asked := s.askedFor()
	if len(asked) != 1 {
		t.Fatalf("%d records", len(asked))
	}
	want := v1alpha1.MachineRemediationSpec{
		ClusterName: machine.Spec.ClusterName,
		MachineRef:  v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "metal-3", UID: machine.UID},
		NodeRef:     &v1alpha1.RemediationReference{Name: "metal-3"},
		RequestedBy: &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByPerson, Name: "alice", Reason: "new firmware"},
		Steps: []v1alpha1.RemediationStep{{
			Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(3600)), Attempts: 1, DoneWhen: v1alpha1.DoneWhenMachineHealthy, Approval: v1alpha1.ApprovalNotRequired,
		}},
	}
	if diff := cmp.Diff(want, asked[0].Spec); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !ladder.HasSlot(&asked[0]) || len(asked[0].Finalizers) != 1 || len(asked[0].OwnerReferences) != 1 {
		t.Errorf("made %+v", asked[0].ObjectMeta)
	}
	s.golden("reboot-again", s.run(append(run, "--yes")...), exitOK)
	if n := len(s.askedFor()); n != 1 {
		t.Errorf("%d records", n)
	}
}

// TestRebootUntil: the host stays off after the step that a person names.
func TestRebootUntil(t *testing.T) {
	for until, want := range map[string]string{
		"PowerOff": "proves that it is off, and keeps it off", "Delete": "takes its Node out of service, and keeps the host off",
	} {
		s := newShell(t)
		s.metal("metal-3")
		got := s.run("reboot", "metal-3", "--yes", "--until="+until)
		if asked := s.askedFor(); len(asked) != 1 || string(asked[0].Spec.Steps[0].Until) != until || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: %+v, and says %s", until, asked, got.stdout)
		}
		if back := "On again   kubectl annotate machine.cluster.x-k8s.io metal-3 -n " + s.ns + " reboot.metal3.io/PowerOn=\n"; !strings.Contains(got.stdout, back) {
			t.Errorf("%s: it does not say %s, but %s", until, back, got.stdout)
		}
		// The same again is there already. A whole cycle is not, and the host would stay off.
		if got := s.run("reboot", "metal-3", "--yes", "--until="+until); got.code != exitOK {
			t.Errorf("%s again ends with %d: %s", until, got.code, got.stderr)
		}
		s.says(s.run("reboot", "metal-3", "--yes"), exitFailure, "mr/metal-3-5f2c9d1e-1 is there to keep the host off, as admin has asked, so nothing was written. "+
			"End that first, which switches the host on: kubectl annotate machine.cluster.x-k8s.io metal-3 -n fleet reboot.metal3.io/PowerOn=, or sickbay cancel mr/metal-3-5f2c9d1e-1 -n fleet")
		// What is called off is asked for no more.
		s.run("cancel", "mr/"+s.askedFor()[0].Name, "--yes", "--reason=done")
		if got := s.run("reboot", "metal-3", "--yes"); got.code != exitOK || len(s.askedFor()) != 2 || !strings.Contains(got.stdout, ", which is called off, has ended\n") {
			t.Errorf("%s, after cancel: %d, %s%s", until, got.code, got.stdout, got.stderr)
		}
	}
	s := newShell(t)
	s.metal("metal-3")
	if got := s.run("reboot", "metal-3", "--yes", "--until=PowerOn"); got.code != exitUsage || !strings.Contains(got.stderr, "must be PowerOff or Delete") {
		t.Errorf("it ends with %d: %s", got.code, got.stderr)
	}
}

// TestRebootWaits: it says what it waits for, and whether anything may stand in the way that the person may not read. Only what counts for a person's word
// is told: no pause of the health check.
func TestRebootWaits(t *testing.T) {
	host := func(s *shell, change func(*metal3v1.BareMetalHost)) {
		h, _ := objects.Get(s.t, s.c, &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "host-of-metal-3"}})
		s.change(h, func() { change(h) })
	}
	for want, tt := range map[string]struct {
		options []build.MachineOption
		change  func(*shell)
	}{
		"At once": {nil, func(s *shell) {
			s.change(s.mhc, func() { s.mhc.Annotations = map[string]string{clusterv1.PausedAnnotation: ""} })
		}},
		"Not before this ends: Machine metal-3 is on hold until " + farAway + ": disks": {options: []build.MachineOption{
			build.Annotation(mhcspec.HoldUntilAnnotation, farAway), build.Annotation(mhcspec.HoldReasonAnnotation, "disks"),
		}},
		"Not before this ends: Machine metal-3 is paused (annotation cluster.x-k8s.io/paused)": {options: []build.MachineOption{build.Annotation(clusterv1.PausedAnnotation, "")}},
		"Not before this ends: MachineHealthCheck workers is on hold until " + farAway: {nil, func(s *shell) {
			s.change(s.mhc, func() { s.mhc.Annotations = map[string]string{mhcspec.HoldUntilAnnotation: farAway} })
		}},
		"Not before this ends: Somebody wants the host host-of-metal-3 off (spec.online)": {nil, func(s *shell) {
			host(s, func(h *metal3v1.BareMetalHost) { h.Spec.Online = false })
		}},
		"Not before this ends: Waiting until 2 of the 2 other machines of the control plane are up; not up: metal-1 (it is not healthy), unless etcd runs elsewhere": {
			[]build.MachineOption{build.ControlPlane()}, func(s *shell) {
				s.machine("metal-1", build.ControlPlane())
				s.machine("metal-2", build.ControlPlane(), judgedAs(metav1.ConditionTrue))
			},
		},
	} {
		s := newShell(t)
		s.metal("metal-3", tt.options...)
		if tt.change != nil {
			tt.change(s)
		}
		if got := s.run("reboot", "metal-3", "--dry-run"); !strings.Contains(got.stdout, "When       "+want+"\n") {
			t.Errorf("want %s, says %s%s", want, got.stdout, got.stderr)
		}
	}
}

// TestRebootOfAVirtualMachine: without a host there is nothing to power-cycle. Whether there is one is unknown to whom may not read it.
func TestRebootOfAVirtualMachine(t *testing.T) {
	s := newShell(t)
	s.machine("metal-1")
	s.infra("metal-2", nil)
	s.machine("metal-2")
	s.infra("metal-4", map[string]string{reboots.HostAnnotation: s.ns + "/gone"})
	s.machine("metal-4")
	for _, name := range []string{"metal-1", "metal-2", "metal-4"} {
		s.says(s.run("reboot", name, "--yes"), exitFailure, "machine "+name+" has no BareMetalHost, so there is nothing to power-cycle")
	}
	if n := len(s.askedFor()); n != 0 {
		t.Errorf("%d records", n)
	}
	s.may("alice", rule("cluster.x-k8s.io", "*", "get"), rule("sickbay.dev", "machineremediations", "list", "create"))
	if got := s.run("reboot", "metal-2", "--yes", "--as=alice"); got.code != exitOK || len(s.askedFor()) != 1 {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
}

// TestRebootBesideARepair: it says whether it takes the place of a repair, or waits for it.
func TestRebootBesideARepair(t *testing.T) {
	for name, tt := range map[string]struct {
		begun bool
		want  string
	}{
		"a repair that nobody has begun": {false, "Instead of mr/"},
		"a repair that has begun":        {true, "which is at work on the machine"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			r := s.admit(s.metal("metal-3"), reboot, replace)
			if tt.begun {
				s.rebooting(r)
				s.settle(s.stored(r), func(f *ladder.Facts) {
					f.Request = &ladder.Request{
						OperationID: ladder.OperationID(r, 1), BeganAt: r.CreationTimestamp.Time,
						Ref: v1alpha1.RemediationObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: r.Name + "-1", UID: "cycle"},
					}
				})
			}
			if got := s.run("reboot", "metal-3", "--yes"); got.code != exitOK || !strings.Contains(got.stdout, tt.want) {
				t.Errorf("exit code is %d: %s", got.code, got.stderr)
			}
		})
	}
}

// TestRebootRefused: one line says why, and nothing is written.
func TestRebootRefused(t *testing.T) {
	s := newShell(t)
	s.metal("metal-3")
	s.may("bob", rule("cluster.x-k8s.io", "*", "get"), rule("sickbay.dev", "machineremediations", "list"))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":         {[]string{"reboot"}, exitUsage, "the target is missing: give it as NAME or KIND/NAME; the kind is machine"},
		"a health check":  {[]string{"reboot", "mhc/workers"}, exitUsage, `"mhc/workers": the kind must be machine`},
		"no such machine": {[]string{"reboot", "metal-9", "--yes"}, exitFailure, "there is no machine/metal-9 in namespace fleet"},
		"no terminal":     {[]string{"reboot", "metal-3"}, exitUsage, "cannot ask for confirmation"},
		"long reason":     {[]string{"reboot", "metal-3", "--yes", "--reason=" + strings.Repeat("x", 1025)}, exitUsage, "--reason has 1025 characters"},
		"may not make it": {[]string{"reboot", "metal-3", "--yes", "--as=bob"}, exitFailure, "cannot create resource"},
	} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			if got := s.run(tt.args...); got.code != tt.code || !strings.Contains(s.scrub(got.stderr), tt.want) || len(s.askedFor()) > 0 {
				t.Errorf("exit code is %d: %s", got.code, got.stderr)
			}
		})
	}
}
