package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/settle"
)

// rebooting starts the power cycle of a record.
func (s *shell) rebooting(r *v1alpha1.MachineRemediation) *v1alpha1.MachineRemediation {
	s.t.Helper()
	asked := remedy.Request{Record: r, Attempt: v1alpha1.RemediationAttempt{Number: 1, Step: "reboot", OperationID: ladder.OperationID(r, 1)}, Step: r.Spec.Steps[0]}
	if _, err := remedy.MakeReboot(s.t.Context(), s.c, s.c, asked); err != nil {
		s.t.Fatal(err)
	}
	return s.settle(r, func(f *ladder.Facts) {
		f.Request = &ladder.Request{OperationID: asked.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: asked.Name(), UID: "cycle",
		}}
	})
}

// TestDecisions: each decision is shown, and stored with its author and reason.
func TestDecisions(t *testing.T) {
	tests := map[string]struct {
		steps []v1alpha1.RemediationStep
		works bool
		args  []string
		want  v1alpha1.RemediationDecision
	}{
		"approve": {
			[]v1alpha1.RemediationStep{replace}, false, []string{"approve", "metal-3", "--reason", "its data is safe"},
			v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerApprove, By: "alice", Reason: "its data is safe"},
		},
		"deny": {
			[]v1alpha1.RemediationStep{replace}, false, []string{"deny", "machine/metal-3"},
			v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerDeny, By: "alice"},
		},
		"cancel": {
			[]v1alpha1.RemediationStep{reboot, replace}, true, []string{"cancel", "machines.cluster.x-k8s.io/metal-3"},
			v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerCancel, By: "alice"},
		},
		"retry": {
			[]v1alpha1.RemediationStep{ask, reboot}, false, []string{"retry", "metal-3", "--from=reboot", "--reason=the firmware is fixed"},
			v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerRetry, Step: "reboot", By: "alice", Reason: "the firmware is fixed"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newShell(t)
			s.may("alice", rule("sickbay.dev", "machineremediations", "get", "list", "patch"), rule("cluster.x-k8s.io", "*", "get", "list"),
				rule("sickbay.dev", "rebootremediations", "get"))
			r := s.admit(s.machine("metal-3"), tt.steps...)
			if tt.works {
				r = s.rebooting(r)
			}
			args := slices.Concat(tt.args, []string{"--as=alice"})
			dry := s.run(append(args, "--dry-run")...)
			if s.stored(r).Spec.Decision != nil || dry.code != exitOK {
				t.Errorf("--dry-run ends with %d and has written %+v: %s", dry.code, s.stored(r).Spec.Decision, dry.stderr)
			}
			s.golden(name, s.run(append(args, "--yes")...), exitOK)
			if diff := cmp.Diff(&tt.want, s.stored(r).Spec.Decision); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
			version := s.stored(r).ResourceVersion
			s.golden(name+"-again", s.run(append(args, "--yes")...), exitOK)
			if s.stored(r).ResourceVersion != version {
				t.Error("it was written once more")
			}
		})
	}
}

// TestDecisionLeavesNothingOfAnEarlierOne: a step or reason that was left over would look like part of the new decision.
func TestDecisionLeavesNothingOfAnEarlierOne(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), ask, reboot)
	if got := s.run("retry", "metal-3", "--yes", "--reason=x", "--from=reboot"); got.code != exitOK {
		t.Fatal(got.stderr)
	}
	if got := s.run("cancel", "metal-3", "--yes"); got.code != exitOK || !strings.Contains(got.stdout, "Instead of Retry by ") {
		t.Fatal(got.stdout, got.stderr)
	}
	d := s.stored(r).Spec.Decision
	if d.Answer != v1alpha1.AnswerCancel || d.Step != "" || d.Reason != "" || d.By == "" {
		t.Errorf("stored %+v", d)
	}
}

// TestDecisionForms: programs get what was written, and people still see what it does.
func TestDecisionForms(t *testing.T) {
	for _, form := range []string{"name", "json", "yaml"} {
		t.Run(form, func(t *testing.T) {
			s := newShell(t)
			r := s.admit(s.machine("metal-3"), replace)
			got := s.run("approve", "mr/"+r.Name, "--yes", "-o", form)
			if got.code != exitOK || !strings.Contains(got.stderr, "Approve step replace on metal-3") {
				t.Errorf("exit code is %d: %s", got.code, got.stderr)
			}
			if form == "name" {
				if want := "machineremediation.sickbay.dev/" + r.Name + "\n"; got.stdout != want {
					t.Errorf("printed %q, want %q", got.stdout, want)
				}
				return
			}
			unmarshal := func(data []byte, into any) error { return yaml.Unmarshal(data, into) }
			if form == "json" {
				unmarshal = json.Unmarshal
			}
			printed := &v1alpha1.MachineRemediation{}
			if err := unmarshal([]byte(got.stdout), printed); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(s.stored(r).Spec, printed.Spec); diff != "" || printed.Kind != "MachineRemediation" || printed.ManagedFields != nil {
				t.Errorf("printed %+v (-stored +printed):\n%s", printed.TypeMeta, diff)
			}
		})
	}
}

// TestDecisionRefused: one line says why, and nothing is written.
func TestDecisionRefused(t *testing.T) {
	s := newShell(t)
	waiting := s.admit(s.machine("metal-1"), replace)
	s.rebooting(s.admit(s.machine("metal-2"), reboot))
	s.machine("metal-4")
	s.machine("metal-5", judgedAs(metav1.ConditionTrue))
	over := s.admit(s.machine("metal-6"), reboot)
	s.settle(over, func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} })
	tests := map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":          {[]string{"approve"}, exitUsage, "the target is missing: give it as NAME or KIND/NAME; the kind is one of machine, mr"},
		"two names":        {[]string{"approve", "metal-1", "metal-2"}, exitUsage, "give one target, not 2"},
		"kind unknown":     {[]string{"approve", "pod/metal-1"}, exitUsage, `"pod/metal-1": the kind must be one of machine, mr; if pod is its namespace, write metal-1 -n pod`},
		"name empty":       {[]string{"approve", "mr/"}, exitUsage, `"mr/": it must be KIND/NAME or NAME`},
		"form unknown":     {[]string{"approve", "metal-1", "-o=wide"}, exitUsage, `--output is "wide": it must be one of name, json, yaml`},
		"reason too long":  {[]string{"approve", "metal-1", "--reason=" + strings.Repeat("ä", 1025)}, exitUsage, "--reason has 1025 characters: it must have at most 1024"},
		"both yes and no":  {[]string{"approve", "metal-1", "--dry-run"}, exitUsage, "--yes and --dry-run cannot be used together"},
		"step not there":   {[]string{"retry", "metal-1", "--from=reboot"}, exitUsage, `mr/metal-1-5f2c9d1e-1 has no step "reboot": it has replace`},
		"no such record":   {[]string{"approve", "mr/metal-9-1"}, exitFailure, "there is no mr/metal-9-1 in namespace fleet"},
		"no such machine":  {[]string{"approve", "metal-9"}, exitFailure, "there is no machine metal-9 in namespace fleet, and no MachineRemediation for one"},
		"sick, no repair":  {[]string{"approve", "metal-4"}, exitFailure, "machine metal-4 is not under repair, so there is nothing to decide. It is sick, but its repair has not been admitted: " + sickness},
		"healthy":          {[]string{"retry", "metal-5"}, exitFailure, "machine metal-5 is not under repair, so there is nothing to decide. It is healthy"},
		"ended, by record": {[]string{"retry", over.Name}, exitFailure, "mr/metal-6-5f2c9d1e-1 ended at 2026-11-22T03:07:10Z, so there is nothing to decide: The machine is gone, but not because of this remediation"},
		"nothing to approve": {[]string{"approve", "metal-2"}, exitFailure, "mr/metal-2-5f2c9d1e-1 waits for no approval: it is Acting. " +
			"Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help"},
		"nothing to deny": {[]string{"deny", "metal-2"}, exitFailure, "mr/metal-2-5f2c9d1e-1 waits for no approval, so there is nothing to deny. To stop the repair: sickbay cancel mr/metal-2-5f2c9d1e-1 -n fleet. " +
			"It is Acting. Step reboot, 1 of 2: waits for the power cycle of its host; one more attempt follows if that does not help"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s.t = t
			s.says(s.run(append(tt.args, "--yes")...), tt.code, tt.want)
		})
	}
	s.t = t
	if d := s.stored(waiting).Spec.Decision; d != nil {
		t.Errorf("stored %+v", d)
	}
}

// TestDecisionOnOneOfTwo: a machine was created again with the same name while an open record still waits
// for the old one's successor.
func TestDecisionOnOneOfTwo(t *testing.T) {
	s := newShell(t)
	first := s.machine("metal-3")
	s.admit(first, replace)
	if err := s.c.Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	second := s.admit(s.machine("metal-3"), replace)
	got := s.run("approve", "metal-3", "--yes")
	if got.code != exitUsage || strings.Count(s.scrub(got.stderr), "mr/metal-3-5f2c9d1e-1 (Pending)") != 2 || !strings.Contains(got.stderr, "metal-3 has 2 open MachineRemediations: name one of them: ") {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
	if got := s.run("approve", second.Name, "--yes"); got.code != exitOK {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
}

// TestDecisionBesideOneThatHasEnded: a record that has ended keeps its label until late acts are out. It is no longer open to anybody.
func TestDecisionBesideOneThatHasEnded(t *testing.T) {
	s := newShell(t)
	machine := s.machine("metal-3")
	over := s.settle(s.admit(machine, replace), func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} })
	if _, labelled := over.Labels[v1alpha1.OpenLabel]; !labelled || !ladder.Ended(over) {
		t.Fatalf("%v %+v", over.Labels, over.Status)
	}
	if got := s.run("cancel", "metal-3", "--yes"); got.code != exitFailure || !strings.Contains(got.stderr, "is not under repair, so there is nothing to decide") {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
	next := settle.Admitted(s.cluster, s.mhc, machine, replace)
	next.Name = recordstore.Name(machine.Name, machine.UID, 2)
	build.Create(t.Context(), t, s.c, next)
	s.settle(next)
	if got := s.run("approve", "metal-3", "--yes"); got.code != exitOK || s.stored(next).Spec.Decision == nil {
		t.Errorf("exit code is %d: %s", got.code, got.stderr)
	}
}

// TestDecisionEndedLately: the machine's last repair has ended.
func TestDecisionEndedLately(t *testing.T) {
	s := newShell(t)
	r := s.settle(s.admit(s.machine("metal-3"), replace), func(f *ladder.Facts) { f.Machine = ladder.Machine{Gone: true} })
	s.change(r, func() { r.Labels = nil })
	s.says(s.run("cancel", "metal-3", "--yes"), exitFailure, "machine metal-3 is not under repair, so there is nothing to decide. It is sick, but its repair has not been admitted: "+sickness+
		". Its last repair, mr/metal-3-5f2c9d1e-1, ended at 2026-11-22T03:07:10Z (MachineDeleted)")
}

// TestDecisionWithoutATerminal: there is nobody to ask, so nothing is written.
func TestDecisionWithoutATerminal(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	s.says(s.run("approve", "metal-3"), exitUsage,
		"cannot ask for confirmation, because standard input is not a terminal: use --yes to write without asking, or --dry-run to see what would be written")
	if d := s.stored(r).Spec.Decision; d != nil {
		t.Errorf("stored %+v", d)
	}
}

// reader acts as a person at a terminal: it reads the question, and does something.
type reader struct {
	bytes.Buffer
	asked func()
}

func (r *reader) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "[y/N]") {
		r.asked()
	}
	return r.Buffer.Write(p)
}

// TestDecisionAsks: only a yes writes.
func TestDecisionAsks(t *testing.T) {
	for answer, writes := range map[string]bool{"y": true, "YES": true, "n": false, "": false, "yo": false} {
		t.Run(answer, func(t *testing.T) {
			s := newShell(t)
			r := s.admit(s.machine("metal-3"), replace)
			person := s.terminal()
			got := s.runInto(&reader{asked: func() { typed(t, person, answer) }}, "approve", "metal-3")
			if (got.code == exitOK) != writes || (s.stored(r).Spec.Decision != nil) != writes {
				t.Errorf("exit code is %d, stored %+v: %s", got.code, s.stored(r).Spec.Decision, got.stderr)
			}
			if !writes && !strings.HasSuffix(got.stderr, "sickbay: nothing was written\n") {
				t.Errorf("said %q", got.stderr)
			}
		})
	}
}

// TestDecisionOnWhatHasChanged: the record changed after it was shown and before the person answered.
func TestDecisionOnWhatHasChanged(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	person := s.terminal()
	got := s.runInto(&reader{asked: func() {
		s.settle(s.stored(r), func(f *ladder.Facts) { f.Machine.Health = ladder.Healthy })
		typed(t, person, "y")
	}}, "approve", "metal-3")
	want := "sickbay: mr/metal-3-5f2c9d1e-1 has changed since it was shown, so nothing was written: at attempt 1, it is Probation. The machine is healthy, and has to stay healthy\n"
	if said := s.scrub(got.stderr); got.code != exitFailure || !strings.HasSuffix(said, want) {
		t.Errorf("exit code is %d, said %q, want %q", got.code, said, want)
	}
	if d := s.stored(r).Spec.Decision; d != nil {
		t.Errorf("stored %+v", d)
	}
}

// TestDecisionWithFewRights: the error has the API server's words, and says what helps.
func TestDecisionWithFewRights(t *testing.T) {
	s := newShell(t)
	r := s.admit(s.machine("metal-3"), replace)
	s.may("bob", rule("cluster.x-k8s.io", "machines", "get"))
	s.says(s.run("approve", "metal-3", "--as=bob", "--yes"), exitFailure, `machineremediations.sickbay.dev is forbidden: User "bob" cannot list resource "machineremediations" `+
		`in API group "sickbay.dev" in the namespace "fleet". The ClusterRole sickbay-decide permits it`)
	s.may("carol", rule("sickbay.dev", "machineremediations", "get", "list"), rule("cluster.x-k8s.io", "*", "get", "list"))
	for _, how := range []string{"--yes", "--dry-run"} {
		got := s.run("approve", "metal-3", "--as=carol", how)
		if want := `cannot patch resource "machineremediations"`; got.code != exitFailure || !strings.Contains(got.stderr, want) {
			t.Errorf("exit code is %d: %s", got.code, got.stderr)
		}
	}
	s.may("dave", rule("sickbay.dev", "machineremediations", "get", "list", "patch"))
	got := s.run("approve", "metal-3", "--as=dave", "--yes")
	s.golden("approve-unseen", got, exitOK)
	if d := s.stored(r).Spec.Decision; d == nil || d.By != "dave" {
		t.Errorf("stored %+v", d)
	}
}

// TestDecisionInterrupted: Ctrl-C at the question ends the command.
func TestDecisionInterrupted(t *testing.T) {
	_, tty := openTerminal(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if line, err := readLine(ctx, tty); err == nil {
		t.Errorf("read %q", line)
	}
}
