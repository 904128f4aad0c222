package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

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
	machine := s.machine("metal-3", build.NodeRef("metal-3"))
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
		s.machine("metal-3")
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
			"Call that off first, which switches the host on: sickbay cancel mr/metal-3-5f2c9d1e-1 -n fleet")
	}
	s := newShell(t)
	s.machine("metal-3")
	if got := s.run("reboot", "metal-3", "--yes", "--until=PowerOn"); got.code != exitUsage || !strings.Contains(got.stderr, "must be PowerOff or Delete") {
		t.Errorf("it ends with %d: %s", got.code, got.stderr)
	}
}

// TestRebootUnderAHold: it says which hold or pause it waits for.
func TestRebootUnderAHold(t *testing.T) {
	for want, options := range map[string][]build.MachineOption{
		"Machine metal-3 is on hold until " + farAway + ": disks": {
			build.Annotation(mhcspec.HoldUntilAnnotation, farAway), build.Annotation(mhcspec.HoldReasonAnnotation, "disks"),
		},
		"Machine metal-3 is paused (annotation cluster.x-k8s.io/paused)": {build.Annotation(clusterv1.PausedAnnotation, "")},
	} {
		s := newShell(t)
		s.machine("metal-3", options...)
		if got := s.run("reboot", "metal-3", "--dry-run"); !strings.Contains(got.stdout, "When       Not before this ends: "+want+"\n") {
			t.Errorf("says %s%s", got.stdout, got.stderr)
		}
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
			r := s.admit(s.machine("metal-3"), reboot, replace)
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
	s.machine("metal-3")
	s.may("bob", rule("cluster.x-k8s.io", "*", "get"), rule("sickbay.dev", "machineremediations", "list"))
	for name, tt := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":         {[]string{"reboot"}, exitUsage, "the target is missing: give it as KIND/NAME; the kind is one of machine"},
		"a health check":  {[]string{"reboot", "mhc/workers"}, exitUsage, `"mhc/workers": the kind must be one of machine`},
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
