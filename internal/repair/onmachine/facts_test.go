package onmachine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// wroteBy gives a Machine's condition to a field owner, as the API server does.
func wroteBy(owner, conditionType string) build.MachineFunc {
	fields := fmt.Sprintf(`{"f:status":{"f:conditions":{"k:{\"type\":\"%s\"}":{"f:status":{}}}}}`, conditionType)
	return func(m *clusterv1.Machine) {
		m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{Manager: owner, Operation: metav1.ManagedFieldsOperationApply, FieldsV1: metav1.NewFieldsV1(fields)})
	}
}

func record(actions ...v1alpha1.Action) *v1alpha1.MachineRemediation {
	r := &v1alpha1.MachineRemediation{}
	r.UID = "r"
	for _, action := range actions {
		r.Spec.Steps = append(r.Spec.Steps, v1alpha1.RemediationStep{Name: strings.ToLower(string(action)), Action: action, TimeoutSeconds: new(int32(600))})
	}
	return r
}

func TestHealth(t *testing.T) {
	for status, want := range map[metav1.ConditionStatus]ladder.Health{
		"": ladder.Undecided, metav1.ConditionTrue: ladder.Healthy, metav1.ConditionFalse: ladder.Sick, metav1.ConditionUnknown: ladder.Undecided,
	} {
		machine := build.Machine("ns", "m")
		if status != "" {
			machine = build.Machine("ns", "m", build.Verdict(status, build.Epoch))
		}
		if got := onmachine.Health(machine); got != want {
			t.Errorf("with the verdict %q, it is %v, want %v", status, got, want)
		}
	}
}

// TestMark: only a mark that waits is Sickbay's word; every other state is the owner's answer.
func TestMark(t *testing.T) {
	const conditionType = clusterv1.MachineOwnerRemediatedCondition
	mark := func(reason string) build.ConditionOption {
		return build.Condition(conditionType, metav1.ConditionFalse, reason, build.Epoch)
	}
	waits := mark(clusterv1.MachineOwnerRemediatedWaitingForRemediationReason)
	reboots, replaces := record(v1alpha1.ActionReboot), record(v1alpha1.ActionReboot, v1alpha1.ActionReplace)
	tried := record(v1alpha1.ActionReplace)
	tried.Status.Attempts = []v1alpha1.RemediationAttempt{{Number: 1, Step: "replace", ObjectRef: &v1alpha1.RemediationObjectReference{}}}
	for name, tt := range map[string]struct {
		machine []build.MachineOption
		record  *v1alpha1.MachineRemediation
		want    ladder.Mark
	}{
		"none":               {nil, replaces, ladder.Mark{}},
		"done":               {[]build.MachineOption{build.Condition(conditionType, metav1.ConditionTrue, "Done", build.Epoch)}, replaces, ladder.Mark{}},
		"ours":               {[]build.MachineOption{waits, wroteBy(ownwrites.RemediationFieldOwner, conditionType)}, replaces, ladder.Mark{State: ladder.MarkWaiting, Ours: true}},
		"somebody else's":    {[]build.MachineOption{waits, wroteBy("kubectl", conditionType)}, replaces, ladder.Mark{State: ladder.MarkWaiting}},
		"refused":            {[]build.MachineOption{mark(clusterv1.MachineSetMachineCannotBeRemediatedReason)}, reboots, ladder.Mark{State: ladder.MarkRefused}},
		"answered":           {[]build.MachineOption{mark(clusterv1.MachineSetMachineRemediationMachineDeletingReason)}, reboots, ladder.Mark{State: ladder.MarkAnswered}},
		"deferred, as asked": {[]build.MachineOption{mark("Later").WithMessage("not now")}, tried, ladder.Mark{State: ladder.MarkDeferred, Message: "not now", Ours: true}},
	} {
		got := onmachine.Machine(build.Machine("ns", "m", tt.machine...), tt.record)
		if diff := cmp.Diff(tt.want, got.Mark); diff != "" {
			t.Errorf("%s: the mark (-want +got):\n%s", name, diff)
		}
	}
}

// TestOthers: an annotation that asks for a power cycle claims the machine, and /PowerOff keeps its host off. A value of the form of an
// operationID is a sign of Sickbay's own, and asks for nothing.
func TestOthers(t *testing.T) {
	const request = rebootannotation.Request
	sign := "5f2c9d1e-0000-4000-8000-000000000000/1"
	for name, tt := range map[string]struct {
		annotations  map[string]string
		heldByOthers string
	}{
		"none":                                   {},
		"a sign":                                 {annotations: map[string]string{request: sign}},
		"a person asks":                          {annotations: map[string]string{request: ""}, heldByOthers: request},
		"a person asks in words":                 {annotations: map[string]string{request: "please"}, heldByOthers: request},
		"a person asks for a step":               {annotations: map[string]string{request + "/PowerOff": ""}, heldByOthers: request + "/PowerOff"},
		"a person asks for a step beside a sign": {annotations: map[string]string{request: sign, request + "/PowerOff": ""}, heldByOthers: request + "/PowerOff"},
	} {
		machine := build.Machine("ns", "m")
		machine.Annotations = tt.annotations
		facts := onmachine.Facts(machine, record(v1alpha1.ActionReboot))
		if got := facts.Safety.HeldByOthers.String(); !strings.HasSuffix(got, tt.heldByOthers) || (got == "") != (tt.heldByOthers == "") {
			t.Errorf("%s: others: %q", name, got)
		}
		if keptOff := strings.HasSuffix(tt.heldByOthers, "/PowerOff"); facts.Safety.KeptOff.IsSet() != keptOff {
			t.Errorf("%s: kept off: %q", name, facts.Safety.KeptOff)
		}
	}
}

// TestOtherFinding: a machine may be sick for another reason by now.
func TestOtherFinding(t *testing.T) {
	r := record(v1alpha1.ActionReboot)
	for reason, want := range map[string]bool{"DiskUnhealthy": true, verdict.Of(build.Machine("ns", "m", build.Verdict(metav1.ConditionFalse, build.Epoch))).Reason: false} {
		r.Spec.Finding.Reason = reason
		if got := onmachine.Machine(build.Machine("ns", "m", build.Verdict(metav1.ConditionFalse, build.Epoch)), r).OtherFinding; got != want {
			t.Errorf("admitted for %s: another finding: %t", reason, got)
		}
	}
}

// TestHealthCheckOfAnother: what the health check of another controller asks for goes by the verdict, if there is one; if not, its word counts.
func TestHealthCheckOfAnother(t *testing.T) {
	for _, kind := range []v1alpha1.RemediationRequesterKind{v1alpha1.AskedByHealthCheck, v1alpha1.AskedByPerson} {
		for status, want := range map[metav1.ConditionStatus]ladder.Health{
			"": ladder.Sick, metav1.ConditionTrue: ladder.Healthy, metav1.ConditionFalse: ladder.Sick, metav1.ConditionUnknown: ladder.Undecided,
		} {
			r, machine := record(v1alpha1.ActionReboot), build.Machine("ns", "m")
			r.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: kind, Name: "m"}
			if status != "" {
				machine = build.Machine("ns", "m", build.Verdict(status, build.Epoch))
			}
			if kind == v1alpha1.AskedByPerson && status == "" {
				want = ladder.Undecided
			}
			if got := onmachine.Machine(machine, r).Health; got != want {
				t.Errorf("%s asks, with the verdict %q: %v, want %v", kind, status, got, want)
			}
		}
	}
}

// TestKeepsOff: the annotations for single steps concern only the record for those steps, and hold all others; no other annotation holds
// that one.
func TestKeepsOff(t *testing.T) {
	const request = rebootannotation.Request
	keeps := record(v1alpha1.ActionReboot)
	keeps.Spec.Steps[0].Until = v1alpha1.StepPowerOff
	keeps.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: request + "/PowerOff"}
	for key, steps := range map[string]bool{"": false, request: false, request + "/PowerOff": true, request + "/Delete": true, request + "/PowerOn": true, request + "s": false} {
		machine := build.Machine("ns", "m")
		if key != "" {
			machine.Annotations = map[string]string{key: ""}
		}
		if got := onmachine.AsksForSteps(machine); got != steps {
			t.Errorf("%q asks for steps: %t", key, got)
		}
		facts := onmachine.Facts(machine, keeps)
		// Until intake has answered its own annotation, it waits for that.
		if unanswered := key == request+"/PowerOff"; facts.Safety.HeldByOthers.IsSet() != unanswered || facts.Safety.KeptOff.IsSet() {
			t.Errorf("%q holds the record for steps: %+v", key, facts.Safety)
		}
	}
}

// TestStillAsks: an annotation asks until it goes, or until the sign of another record is in its place.
func TestStillAsks(t *testing.T) {
	const uid = "6f1c9d1e-0000-4000-8000-00000000000"
	record := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{UID: uid + "1"}}
	record.Spec.RequestedBy = &v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: rebootannotation.Request}
	for value, want := range map[string]bool{"please": true, "": true, uid + "1/1": true, uid + "1/2": true, uid + "2/1": false} {
		machine := &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{rebootannotation.Request: value}}}
		if got := onmachine.StillAsks(machine, record); got != want {
			t.Errorf("%q asks: %t", value, got)
		}
	}
	if onmachine.StillAsks(&clusterv1.Machine{}, record) {
		t.Error("nothing asks")
	}
}
