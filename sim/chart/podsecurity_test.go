package chart_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestPodSecurity: where the restricted standard is enforced, the real API server accepts the Deployment's Pods, with and without
// optional parts. It would reject them if they asked for more.
func TestPodSecurity(t *testing.T) {
	needHelm(t)
	prepare(t)
	dryRun := client.NewDryRunClient(env.Get(t).Client)
	pod := func(values ...string) *corev1.Pod {
		var deployment appsv1.Deployment
		convert(t, find(t, render(t, "sickbay", systemNamespace, values...), "Deployment", "sickbay"), &deployment)
		template := deployment.Spec.Template
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: systemNamespace, Name: "one", Labels: template.Labels}, Spec: template.Spec}
	}
	for name, values := range map[string][]string{
		"usual": nil, "with a dashboard": {"dashboard.enabled=true", `dashboard.certSecret="tls"`}, "without metrics": {"metrics.enabled=false"},
	} {
		if err := dryRun.Create(t.Context(), pod(values...)); err != nil {
			t.Errorf("%s: the Pod is refused: %v", name, err)
		}
	}
	for name, loosen := range map[string]func(*corev1.Pod){
		"root":               func(p *corev1.Pod) { p.Spec.SecurityContext.RunAsNonRoot = nil },
		"without seccomp":    func(p *corev1.Pod) { p.Spec.SecurityContext.SeccompProfile = nil },
		"with capabilities":  func(p *corev1.Pod) { p.Spec.Containers[0].SecurityContext.Capabilities = nil },
		"may escalate":       func(p *corev1.Pod) { p.Spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
		"the host's network": func(p *corev1.Pod) { p.Spec.HostNetwork = true },
	} {
		loose := pod()
		loosen(loose)
		if err := dryRun.Create(t.Context(), loose); !apierrors.IsForbidden(err) {
			t.Errorf("%s: the Pod is not forbidden: %v", name, err)
		}
	}
	// The standard does not require this, but we do.
	if c := pod().Spec.Containers[0].SecurityContext; c.ReadOnlyRootFilesystem == nil || !*c.ReadOnlyRootFilesystem {
		t.Error("its root file system can be written")
	}
}
