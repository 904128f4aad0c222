package intake

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/ownertemplate"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// machine reads a Machine; nil if there is none.
func (r reader) machine(ctx context.Context, key client.ObjectKey) (*clusterv1.Machine, error) {
	if r.kind == openshift.Kind {
		return openshift.Find(ctx, r.live, key)
	}
	return scaffold.Find(ctx, r.live, key, &clusterv1.Machine{})
}

// machineFacts reads what a decision needs to know of a Machine.
func (r reader) machineFacts(ctx context.Context, machine *clusterv1.Machine) (ask.Machine, error) {
	judged := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
	facts := ask.Machine{
		Cluster: machine.Spec.ClusterName, Node: machine.Status.NodeRef.Name, Annotations: machine.Annotations, External: r.external,
		Ref:         v1alpha1.RemediatedMachineReference{APIGroup: r.kind.Group, Name: machine.Name, UID: machine.UID},
		Replaceable: r.kind == ClusterAPIKind && metav1.GetControllerOf(machine) != nil,
		Healthy:     judged != nil && judged.Status == metav1.ConditionTrue,
	}
	var err error
	switch facts.FromTemplate, err = ownertemplate.Carried(ctx, r.live, machine); {
	case scaffold.Answered(err):
		facts.OwnerUnread = ownwrites.Note(ownwrites.Cause(err))
	case err != nil:
		return facts, err
	}
	if facts.AsksExternally() {
		facts.Provider, err = ProviderAtWork(ctx, r.live, machine.Namespace, r.clock.Now())
	}
	return facts, err
}
