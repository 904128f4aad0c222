package admission

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Spec returns the spec of the record to create. It leaves out the UID of the Node, which the facts do not have.
func Spec(f Facts, d Decision, one Admission, now time.Time) v1alpha1.MachineRemediationSpec {
	machine, mhc := one.Machine, f.MachineHealthCheck
	spec := v1alpha1.MachineRemediationSpec{
		ClusterName:    f.Cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
		Finding:        finding(one.verdict, one.Stray, now),
		HostRef:        one.Host,
		Steps:          d.Steps,
		StartAt:        one.Start,
		Grant:          one.Grant,
	}
	if plan := f.Template.Plan; plan != nil {
		spec.TemplateRef = &v1alpha1.PlanReference{Name: plan.Name, UID: plan.UID, Generation: plan.Generation}
		spec.ProbationSeconds = new(int32(plan.Spec.Template.Spec.Probation() / time.Second))
	}
	if machine.Status.NodeRef.IsDefined() {
		spec.NodeRef = &v1alpha1.RemediationReference{Name: machine.Status.NodeRef.Name}
	}
	return spec
}

// reasonTakenOver is the reason of a finding about a machine that has a stray but no verdict.
const reasonTakenOver = "TakenOver"

// maxFindingMessage is how long the definition lets the message of a finding be.
const maxFindingMessage = 1024

// finding is the verdict that leads to a record: of one of several MachineHealthChecks, what it finds itself.
func finding(verdict *metav1.Condition, stray string, now time.Time) v1alpha1.RemediationFinding {
	if verdict == nil {
		return v1alpha1.RemediationFinding{
			Reason: reasonTakenOver, Message: "Without a MachineRemediation, the Machine has a " + stray, Since: metav1.NewTime(now.Truncate(time.Second)),
		}
	}
	return v1alpha1.RemediationFinding{Reason: verdict.Reason, Message: ownwrites.Shortened(verdict.Message, maxFindingMessage), Since: verdict.LastTransitionTime}
}

// OnlyReports says why Sickbay only reports what it would do for a MachineHealthCheck.
func OnlyReports(name string, config mhcspec.Config) ladder.Cause {
	switch {
	case config.DryRun:
		return ladder.Cause{What: ladder.InDryRun, Name: name}
	case config.Observe:
		return ladder.Cause{What: ladder.OnlyObserves, Name: name}
	}
	return ladder.Cause{}
}
