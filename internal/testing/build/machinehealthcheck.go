package build

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// MachineHealthCheck returns a MachineHealthCheck of ClusterName that selects all Machines of that Cluster
// and has no conditions.
func MachineHealthCheck(namespace, name string, opts ...MachineHealthCheckOption) *clusterv1.MachineHealthCheck {
	mhc := &clusterv1.MachineHealthCheck{ObjectMeta: objectMeta(namespace, name)}
	defaults := []MachineHealthCheckOption{
		InCluster(ClusterName),
		Selector(map[string]string{clusterv1.ClusterNameLabel: ClusterName}),
	}
	return changed(mhc, append(defaults, opts...)...)
}

// Selector selects the Machines that have all the labels.
func Selector(labels map[string]string) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Selector = metav1.LabelSelector{MatchLabels: labels}
	}
}

// UnhealthyNodeCondition makes a Machine unhealthy once its Node has the condition for that long.
func UnhealthyNodeCondition(conditionType corev1.NodeConditionType, status corev1.ConditionStatus, timeout time.Duration) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Checks.UnhealthyNodeConditions = append(mhc.Spec.Checks.UnhealthyNodeConditions,
			clusterv1.UnhealthyNodeCondition{Type: conditionType, Status: status, TimeoutSeconds: seconds(timeout)})
	}
}

// UnhealthyMachineCondition makes a Machine unhealthy once it has the condition for that long.
func UnhealthyMachineCondition(conditionType string, status metav1.ConditionStatus, timeout time.Duration) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Checks.UnhealthyMachineConditions = append(mhc.Spec.Checks.UnhealthyMachineConditions,
			clusterv1.UnhealthyMachineCondition{Type: conditionType, Status: status, TimeoutSeconds: seconds(timeout)})
	}
}

// NodeStartupTimeout makes a Machine unhealthy that has had no Node for that long; 0 means never.
func NodeStartupTimeout(timeout time.Duration) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Checks.NodeStartupTimeoutSeconds = seconds(timeout)
	}
}

// TriggerIfAtMost allows remediation while at most that many Machines are unhealthy: intstr.FromInt32(2),
// intstr.FromString("40%").
func TriggerIfAtMost(unhealthy intstr.IntOrString) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = &unhealthy
	}
}

// TriggerIfInRange allows remediation while the number of unhealthy Machines is in a range such as "[1-3]".
func TriggerIfInRange(unhealthy string) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Remediation.TriggerIf.UnhealthyInRange = unhealthy
	}
}

// TemplateRef leaves remediation to the provider of a template.
func TemplateRef(kind schema.GroupVersionKind, name string) MachineHealthCheckFunc {
	return func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Name: name,
		}
	}
}

func seconds(d time.Duration) *int32 { return new(int32(d / time.Second)) }
