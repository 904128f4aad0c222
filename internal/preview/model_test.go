package preview_test

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func machineSet() *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineSet", Name: "md-0", UID: "ms-1"}
}

// The steps of the plans in the tests.
var (
	watch   = v1alpha1.RemediationStep{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(600))}
	reboot  = v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(1800))}
	replace = v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600))}
	ask     = v1alpha1.RemediationStep{Name: "ask", Action: v1alpha1.ActionHold}
	collect = v1alpha1.RemediationStep{
		Name: "collect", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenRequestSucceeded, TimeoutSeconds: new(int32(900)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "logs.example.com/v1", Kind: "LogBundleTemplate", Name: "logs"},
	}
	fix = v1alpha1.RemediationStep{
		Name: "fix", Action: v1alpha1.ActionRequest, TimeoutSeconds: new(int32(7200)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "fix.example.com/v1", Kind: "FixRemediationTemplate", Name: "fix"},
	}
)

func approved(step v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	step.Approval = v1alpha1.ApprovalRequired
	return step
}

// model is a record and its machine, without the API.
type model struct {
	f   ladder.Facts
	now time.Time
}

// newModel returns a sick machine of a MachineSet that was just admitted, with a slot.
func newModel(steps ...v1alpha1.RemediationStep) *model {
	return &model{now: noon, f: ladder.Facts{
		Record: &v1alpha1.MachineRemediation{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "fleet", Name: "metal-3-5f2c9d1e-1", UID: "5f2c9d1e", Generation: 1,
				Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
			},
			Spec: v1alpha1.MachineRemediationSpec{
				ClusterName:    "blue",
				MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "metal-3", UID: "m-1"},
				HealthCheckRef: v1alpha1.RemediationReference{Name: "metal", UID: "mhc-1"},
				TemplateRef:    &v1alpha1.PlanReference{Name: "metal", UID: "plan-1", Generation: 1},
				Finding: v1alpha1.RemediationFinding{
					Reason: "NodeReadyUnknown", Message: "Node condition Ready is Unknown for more than 5m0s", Since: metav1.NewTime(noon.Add(-time.Minute)),
				},
				Steps: steps, ProbationSeconds: new(int32(300)), Grant: 1,
			},
		},
		Machine: ladder.Machine{Health: ladder.Sick, Owner: machineSet()},
	}}
}

// settle runs the ladder until nothing is left to do.
func (w *model) settle() *model {
	for range 100 {
		d := ladder.Decide(w.f, w.now)
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Status = d.Status
		switch {
		case d.Store:
		case d.Act == ladder.None || d.Act == ladder.Close:
			return w
		default:
			w.perform(d)
		}
	}
	panic("the record does not settle")
}

// perform carries out the act of a decision.
func (w *model) perform(d ladder.Decision) {
	switch d.Act {
	case ladder.MarkForOwner:
		w.f.Machine.Mark = ladder.Mark{State: ladder.MarkWaiting, Ours: true}
	case ladder.DeleteMachine:
		w.f.Machine.DeletingSince = w.now
	case ladder.CreateReboot:
		w.makes("RebootRemediation", d)
	case ladder.CreateRequest:
		w.makes(map[string]string{"collect": "LogBundle", "fix": "FixRemediation"}[d.Step.Name], d)
	case ladder.WithdrawMark:
		w.f.Machine.Mark = ladder.Mark{}
	case ladder.WithdrawRequest:
		w.f.Request = nil
	default:
		panic("no such act: " + string(d.Act))
	}
}

func (w *model) makes(kind string, d ladder.Decision) {
	w.f.Request = &ladder.Request{OperationID: d.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
		APIVersion: "v1", Kind: kind, Name: fmt.Sprintf("%s-%d", w.f.Record.Name, d.Attempt.Number), UID: "r-1",
	}}
}

// after lets time pass and the record settle.
func (w *model) after(d time.Duration) *model {
	w.now = w.now.Add(d)
	return w.settle()
}

// granted gives the record a slot if it wants one.
func (w *model) granted() *model {
	if wants, _ := ladder.WantsSlot(w.f.Record, w.now); wants {
		w.f.Record = w.f.Record.DeepCopy()
		w.f.Record.Spec.Grant = w.f.Record.Status.ReleasedGrant + 1
	}
	return w.settle()
}

// with changes the facts; the record does not know that yet.
func (w *model) with(change func(*ladder.Facts)) *model {
	change(&w.f)
	return w
}

// as changes the facts and lets the record settle.
func (w *model) as(change func(*ladder.Facts)) *model { return w.with(change).settle() }

func (w *model) view() preview.View { return preview.View{Facts: w.f} }

// writes stores a decision like the API server.
func (w *model) writes(d v1alpha1.RemediationDecision) *model {
	w.f.Record = w.f.Record.DeepCopy()
	w.f.Record.Spec.Decision = &d
	w.f.Record.Generation++
	return w
}
