package ladder

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// ago is a time before noon, as the API stores it.
func ago(d time.Duration) *metav1.Time { return new(metav1.NewTime(noon.Add(-d))) }

const recordUID = "5f2c9d1e"

// machineSet owns the machine.
func machineSet() *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineSet", Name: "md-0", UID: "ms-1"}
}

// otherSet may own it later.
func otherSet() *v1alpha1.RemediationObjectReference {
	return &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineSet", Name: "md-1", UID: "ms-2"}
}

// The steps of the plans in the tests.
func wait() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(600))}
}

func reboot() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(1800))}
}

func collect() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: "collect", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenRequestSucceeded, TimeoutSeconds: new(int32(900)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "logs.example.com/v1", Kind: "LogBundleTemplate", Name: "logs"},
	}
}

func request() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{
		Name: "request", Action: v1alpha1.ActionRequest, DoneWhen: v1alpha1.DoneWhenMachineHealthy, TimeoutSeconds: new(int32(86400)),
		TemplateRef: &v1alpha1.StepTemplateReference{APIVersion: "fix.example.com/v1", Kind: "FixRemediationTemplate", Name: "fix"},
	}
}

func replace() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600))}
}

func holdStep() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "ask", Action: v1alpha1.ActionHold}
}

// approvedStep is a step that a person must approve.
func approvedStep(step v1alpha1.RemediationStep) v1alpha1.RemediationStep {
	step.Approval = v1alpha1.ApprovalRequired
	return step
}

// change is one thing that is other than usual.
type change func(*Facts)

// plan is the record of a sick machine that a MachineSet owns, with a plan from a template. It was admitted just now, with a
// slot, and nothing has been done.
func plan(steps ...v1alpha1.RemediationStep) Facts {
	return Facts{
		Record: &v1alpha1.MachineRemediation{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "fleet", Name: "md-0-x7-5f2c9d1e-1", UID: recordUID, Generation: 1,
				Labels: map[string]string{v1alpha1.OpenLabel: ""}, Finalizers: []string{v1alpha1.RemediationFinalizer},
			},
			Spec: v1alpha1.MachineRemediationSpec{
				ClusterName:      "prod",
				MachineRef:       v1alpha1.RemediatedMachineReference{APIGroup: "cluster.x-k8s.io", Name: "md-0-x7", UID: "m-1"},
				HealthCheckRef:   v1alpha1.RemediationReference{Name: "workers", UID: "mhc-1"},
				TemplateRef:      &v1alpha1.PlanReference{Name: "metal", UID: "plan-1", Generation: 1},
				Finding:          v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Since: *ago(time.Minute)},
				Steps:            steps,
				ProbationSeconds: new(int32(300)),
				Grant:            1,
			},
		},
		Machine: Machine{Health: Sick, Owner: machineSet()},
	}
}

// builtin is the same with a built-in plan of one step.
func builtin(step v1alpha1.RemediationStep) Facts {
	f := plan(step)
	f.Record.Spec.TemplateRef, f.Record.Spec.ProbationSeconds = nil, nil
	return f
}

// with applies changes, in order.
func with(f Facts, changes ...change) Facts {
	f.Record = f.Record.DeepCopy()
	if f.Request != nil {
		f.Request = new(*f.Request)
	}
	for _, c := range changes {
		c(&f)
	}
	return f
}

// decideAll carries a record on: it decides, stores and decides again, until there is something to do in the world or nothing.
func decideAll(f Facts, now time.Time) (Facts, Decision) {
	for range 20 {
		d := Decide(f, now)
		if !d.Store {
			return f, d
		}
		f.Record = f.Record.DeepCopy()
		f.Record.Status = d.Status
	}
	panic("a record does not settle")
}
