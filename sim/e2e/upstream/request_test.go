package upstream_test

import (
	"testing"

	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// TestNameIsForHealthChecks: Cluster API's own controller deletes a RebootRemediation that has the name of a healthy Machine, even if
// somebody else created it, and none with another name. That is why persons' requests have other names.
func TestNameIsForHealthChecks(t *testing.T) {
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	spec := world.ClusterSpec{Namespace: "default", Name: "named", Workers: 1}
	harness.Cluster(t, spec)
	machines, err := harness.World.PoolMachines(t.Context(), spec.Key(), world.DefaultPool)
	g.Expect(err).NotTo(HaveOccurred())
	c, machine := harness.World.Client(), &machines[0]
	request := func(name string) *v1alpha1.RebootRemediation {
		return &v1alpha1.RebootRemediation{
			ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: name},
			Spec: v1alpha1.RebootRemediationSpec{
				Machine:     &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name},
				RequestedBy: &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "alice"},
			},
		}
	}
	theirs, persons := request(machine.Name), request("reboot-"+machine.Name)
	template := &v1alpha1.RebootRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: machine.Namespace, Name: "named"}}
	mhc := healthCheck("named")
	mhc.Labels, mhc.Spec.ClusterName = map[string]string{clusterv1.ClusterNameLabel: spec.Name}, spec.Name
	mhc.Spec.Selector = metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.ClusterNameLabel: spec.Name}}
	mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediationTemplate", Name: template.Name,
	}
	for _, object := range []client.Object{theirs, persons, template, mhc} {
		g.Expect(c.Create(t.Context(), object)).To(Succeed())
	}
	g.Eventually(func() bool {
		return apierrors.IsNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(theirs), theirs))
	}).Should(BeTrue(), "it is deleted by the name of the Machine")
	g.Expect(c.Get(t.Context(), client.ObjectKeyFromObject(persons), persons)).To(Succeed())
}
