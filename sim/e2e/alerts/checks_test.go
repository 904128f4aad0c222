package alerts_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// nodeTimeout is the time without a heartbeat after which a Node counts as sick.
const nodeTimeout = time.Second

// healthCheck returns a MachineHealthCheck for a pool of a cluster.
func healthCheck(name, cluster, pool string, change ...func(*clusterv1.MachineHealthCheck)) client.Object {
	seconds := new(int32(nodeTimeout.Seconds()))
	mhc := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: cluster,
			Selector:    metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: world.MachineDeploymentName(cluster, pool)}},
			Checks: clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: seconds},
			}},
		},
	}
	for _, edit := range change {
		edit(mhc)
	}
	return mhc
}

// planned makes a MachineHealthCheck use the plan of its name.
func planned(mhc *clusterv1.MachineHealthCheck) {
	mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: mhc.Name,
	}
}

func checks() []client.Object {
	all := []client.Object{
		healthCheck("gate", "blue", "gate", func(mhc *clusterv1.MachineHealthCheck) {
			mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.FromInt32(0))
		}),
		healthCheck("brain", "blue", "", func(mhc *clusterv1.MachineHealthCheck) {
			mhc.Spec.Selector = metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: clusterv1.MachineControlPlaneLabel, Operator: metav1.LabelSelectorOpExists},
			}}
		}),
		healthCheck("held", "blue", "held", planned), healthCheck("approval", "blue", "approval", planned),
		healthCheck("fails", "blue", "fails", planned), healthCheck("relapse", "iron", "relapse", planned),
		healthCheck("replaced", "blue", "replaced", planned), healthCheck("stuck", "blue", "stuck", func(mhc *clusterv1.MachineHealthCheck) {
			mhc.Annotations = map[string]string{"sickbay.dev/max-in-flight": "1"}
		}),
		healthCheck("red", "red", world.DefaultPool), healthCheck("green", "green", world.DefaultPool),
		healthCheck("invalid", "blue", "none"),
	}
	for _, name := range []string{"hold", "paused", "late"} {
		all = append(all, healthCheck(name, "blue", name))
	}
	// Each of these fails, because Sickbay may not write there.
	for i := range 10 {
		all = append(all, healthCheck(fmt.Sprint("unwritten-", i), "nowhere", "none", func(mhc *clusterv1.MachineHealthCheck) { mhc.Namespace = poor }))
	}
	return all
}

func step(name string, action v1alpha1.Action, timeout time.Duration) v1alpha1.RemediationStep {
	s := v1alpha1.RemediationStep{Name: name, Action: action}
	if timeout > 0 {
		s.TimeoutSeconds = new(int32(timeout.Seconds()))
	}
	return s
}

func plan(name string, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediationTemplate {
	made := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	made.Spec.Template.Spec = v1alpha1.RemediationPlan{Steps: steps, ProbationSeconds: new(int32(1))}
	return made
}

func plans() []client.Object {
	hold := step("ask", v1alpha1.ActionHold, 0)
	approved := step("replace", v1alpha1.ActionReplace, time.Minute)
	approved.Approval = v1alpha1.ApprovalRequired
	watch := step("watch", v1alpha1.ActionWait, time.Second)
	watch.Attempts = 10
	paced := plan("replaced", step("replace", v1alpha1.ActionReplace, time.Minute))
	paced.Spec.Template.Spec.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	return []client.Object{
		paced, plan("held", hold), plan("approval", approved), plan("fails", watch, hold),
		plan("relapse", step("reboot", v1alpha1.ActionReboot, 2*time.Minute), hold),
	}
}
