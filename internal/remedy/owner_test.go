package remedy_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

const (
	verdictType = clusterv1.MachineHealthCheckSucceededCondition
	markType    = clusterv1.MachineOwnerRemediatedCondition
)

// sick is a verdict that justifies a mark.
func sick() build.MachineOption {
	return build.Condition(verdictType, metav1.ConditionFalse, "NodeNotFound", build.Epoch).WithMessage("Node not found")
}

func marked(status metav1.ConditionStatus, reason string) build.ConditionOption {
	return build.Condition(markType, status, reason, build.Epoch).WithMessage("as it was")
}

var waiting = metav1.Condition{
	Type: markType, Status: metav1.ConditionFalse, Reason: clusterv1.MachineOwnerRemediatedWaitingForRemediationReason,
	Message: "Waiting for remediation", ObservedGeneration: 1,
}

func TestMark(t *testing.T) {
	for name, opts := range map[string][]build.MachineOption{
		"there is none":          {sick(), build.NodeRef("node")},
		"one that is True":       {marked(metav1.ConditionTrue, "Remediated"), sick(), build.NodeRef("node")},
		"the verdict is in last": {build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch), sick()},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, opts...)
			before, machine := f.stored(t), f.stored(t)
			if err := remedy.Mark(t.Context(), f.c, machine, now); err != nil {
				t.Fatal(err)
			}
			expect.ConditionIs(t.Context(), t, f.c, f.machine, waiting)
			after := f.stored(t)
			if diff := cmp.Diff(after, machine); diff != "" {
				t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
			}
			mark := meta.FindStatusCondition(after.Status.Conditions, markType)
			if !mark.LastTransitionTime.Time.Equal(now) {
				t.Errorf("transition time is %s, want %s", mark.LastTransitionTime, now)
			}
			if !ownwrites.Wrote(after, markType, remedy.FieldOwner) {
				t.Error("nobody can tell that the mark is ours")
			}
			meta.RemoveStatusCondition(&after.Status.Conditions, markType)
			meta.RemoveStatusCondition(&before.Status.Conditions, markType)
			if diff := cmp.Diff(before.Status, after.Status); diff != "" {
				t.Errorf("it changed more than the mark (-before +after):\n%s", diff)
			}
		})
	}
}

// TestMarkIsBound: the mark depends only on the Machine and its verdict.
func TestMarkIsBound(t *testing.T) {
	tests := map[string]struct {
		before []build.MachineOption
		bound
	}{
		"the Machine is written to":        {nil, bound{anotherAnnotation, true}},
		"another condition comes":          {nil, bound{conditionBecomes("Disk", metav1.ConditionTrue, "Fine"), true}},
		"the verdict says something else":  {nil, bound{conditionBecomes(verdictType, metav1.ConditionFalse, "Other"), true}},
		"the verdict is True":              {nil, bound{conditionBecomes(verdictType, metav1.ConditionTrue, "Fine"), false}},
		"the verdict is Unknown":           {nil, bound{conditionBecomes(verdictType, metav1.ConditionUnknown, "Lost"), false}},
		"the verdict is gone":              {nil, bound{conditionGoes(verdictType), false}},
		"the conditions are in new order":  {nil, bound{otherOrder, false}},
		"a mark comes":                     {nil, bound{conditionBecomes(markType, metav1.ConditionFalse, "MachineDeleting"), false}},
		"a mark comes that is True":        {nil, bound{conditionBecomes(markType, metav1.ConditionTrue, "Done"), false}},
		"the mark that was True is False":  {[]build.MachineOption{marked(metav1.ConditionTrue, "Done")}, bound{conditionBecomes(markType, metav1.ConditionFalse, "X"), false}},
		"the mark that was True is gone":   {[]build.MachineOption{marked(metav1.ConditionTrue, "Done")}, bound{conditionGoes(markType), false}},
		"the Machine is gone":              {nil, bound{machineGone, false}},
		"another Machine has its name":     {nil, bound{anotherMachine, false}},
		"the Machine has no verdict (yet)": {[]build.MachineOption{build.MachineFunc(func(m *clusterv1.Machine) { m.Status.Conditions = nil })}, bound{anotherAnnotation, false}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, append([]build.MachineOption{sick()}, tt.before...)...)
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.Mark(t.Context(), f.c, m, now) })
			if tt.written {
				expect.ConditionIs(t.Context(), t, f.c, f.machine, waiting)
			}
		})
	}
}

// TestMarkOfAVersion: a mark that tests the version depends on all of the Machine.
func TestMarkOfAVersion(t *testing.T) {
	for name, tt := range map[string]bound{
		"nothing happens":           {func(*testing.T, *harness) {}, true},
		"the Machine is written to": {anotherAnnotation, false},
		"its status is written":     {conditionBecomes("Disk", metav1.ConditionTrue, "Fine"), false},
		"it is paused":              {annotated(clusterv1.PausedAnnotation, ""), false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, sick())
			tt.check(t, f, func(m *clusterv1.Machine) error {
				return remedy.Mark(t.Context(), f.c, m, now, ownwrites.TestVersion(m))
			})
		})
	}
}

// TestMarkIsWithdrawn: withdrawing a mark leaves everything else as it was, even what the API server's
// answer does not mention.
func TestMarkIsWithdrawn(t *testing.T) {
	f := newHarness(t, sick(), build.Condition("Disk", metav1.ConditionTrue, "Fine", build.Epoch))
	before, machine := f.stored(t), f.stored(t)
	if err := remedy.Mark(t.Context(), f.c, machine, now); err != nil {
		t.Fatal(err)
	}
	if err := remedy.WithdrawMark(t.Context(), f.c, machine); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Status, machine.Status); diff != "" {
		t.Errorf("status (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(f.stored(t), machine); diff != "" {
		t.Errorf("the Machine is not as it is stored (-stored +got):\n%s", diff)
	}
	version := f.version(t)
	if err := remedy.WithdrawMark(t.Context(), f.c, machine); err != nil || f.version(t) != version {
		t.Errorf("withdrawn a second time: %v", err)
	}
}

// TestWithdrawalOfMarkIsBound: the withdrawal depends only on the Machine and on what the owner has
// written into the mark.
func TestWithdrawalOfMarkIsBound(t *testing.T) {
	tests := map[string]bound{
		"the Machine is written to":         {anotherAnnotation, true},
		"another condition comes":           {conditionBecomes("Disk", metav1.ConditionTrue, "Fine"), true},
		"the message is another":            {conditionBecomes(markType, metav1.ConditionFalse, "RemediationDeferred"), true},
		"the owner has answered":            {conditionBecomes(markType, metav1.ConditionFalse, clusterv1.MachineSetMachineRemediationMachineDeletingReason), false},
		"the mark is True":                  {conditionBecomes(markType, metav1.ConditionTrue, "RemediationDeferred"), false},
		"the mark is gone":                  {conditionGoes(markType), false},
		"the conditions are in a new order": {otherOrder, false},
		"the Machine is gone":               {machineGone, false},
		"another Machine has its name":      {anotherMachine, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, sick(), marked(metav1.ConditionFalse, "RemediationDeferred"))
			tt.check(t, f, func(m *clusterv1.Machine) error { return remedy.WithdrawMark(t.Context(), f.c, m) })
			if tt.written {
				expect.NoCondition(t.Context(), t, f.c, f.machine, markType)
			}
		})
	}
}

// TestOtherErrorsAreNoChange: other errors are not ErrChanged, because another look does not help.
func TestOtherErrorsAreNoChange(t *testing.T) {
	invalid := field.ErrorList{field.Invalid(field.NewPath("spec"), "x", "a webhook does not like it")}
	for name, failure := range map[string]error{
		"refused":   apierrors.NewForbidden(clusterv1.GroupVersion.WithResource("machines").GroupResource(), "m", errors.New("no")),
		"invalid":   apierrors.NewInvalid(clusterv1.GroupVersion.WithKind("Machine").GroupKind(), "m", invalid),
		"no answer": context.DeadlineExceeded,
	} {
		c := interceptor.NewClient(fake.NewClientBuilder().Build(), interceptor.Funcs{
			SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
				return failure
			},
		})
		machine := build.Machine("ns", "m", sick())
		before := machine.DeepCopy()
		err := remedy.Mark(t.Context(), c, machine, now)
		if !errors.Is(err, failure) || errors.Is(err, remedy.ErrChanged) {
			t.Errorf("%s: error is %v", name, err)
		}
		if diff := cmp.Diff(before, machine); diff != "" {
			t.Errorf("%s: the Machine is not as it was read:\n%s", name, diff)
		}
	}
}
