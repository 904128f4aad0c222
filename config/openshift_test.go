package config_test

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestOpenShiftGivesTheUser: OpenShift takes no Pod that asks for a user or a group outside of the range that it has given to its namespace. The
// image says that it runs as another user than root, wherever nobody gives one.
func TestOpenShiftGivesTheUser(t *testing.T) {
	for _, obj := range manifests(t, "install/*.yaml") {
		if obj.GetKind() != "Deployment" {
			continue
		}
		var deployment appsv1.Deployment
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &deployment); err != nil {
			t.Fatal(err)
		}
		pod := deployment.Spec.Template.Spec
		if s := pod.SecurityContext; s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil {
			t.Errorf("the Pods of %s ask for a user or a group: %v", obj.GetName(), s)
		}
		if s := pod.SecurityContext; s.RunAsNonRoot == nil || !*s.RunAsNonRoot {
			t.Errorf("the Pods of %s may run as root", obj.GetName())
		}
	}
}

// TestDNSCanBeAsked: the Pods of OpenShift's DNS listen at 5353, and its network looks at where a packet goes in the end, not at the port of
// the Service.
func TestDNSCanBeAsked(t *testing.T) {
	for _, obj := range manifests(t, "install/*.yaml") {
		if obj.GetKind() != "NetworkPolicy" {
			continue
		}
		var policy networkingv1.NetworkPolicy
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(obj.Object, &policy); err != nil {
			t.Fatal(err)
		}
		for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
			for _, port := range []int{53, 5353} {
				if !slices.ContainsFunc(policy.Spec.Egress, func(r networkingv1.NetworkPolicyEgressRule) bool {
					return slices.ContainsFunc(r.Ports, func(p networkingv1.NetworkPolicyPort) bool {
						return *p.Protocol == protocol && p.Port != nil && p.Port.IntValue() == port
					})
				}) {
					t.Errorf("%s does not let out to port %d by %s", obj.GetName(), port, protocol)
				}
			}
		}
	}
}
