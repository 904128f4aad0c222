package monitor

import (
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/sim/explore/apimodel"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// tookOver checks that nothing is done to a machine while it has leftovers of the previous version.
func (m *Monitor) tookOver(machine *clusterv1.Machine, what string) {
	stands := false
	switch m.w.Spec.LeftOver {
	case worlds.LeftNothing:
	case worlds.LeftMark:
		stands = markStands(machine) && ownwrites.Wrote(machine, clusterv1.MachineOwnerRemediatedCondition, ownwrites.OwnerRemediatedFieldOwner)
	case worlds.LeftReboot:
		stands = machine.Name == "m1" && machine.Annotations[rebootannotation.Request] == history.Start.UTC().Format(time.RFC3339)
	case worlds.LeftRequest:
		request := apimodel.As[*unstructured.Unstructured](m.w.Server.Latest(kinds.Request, kinds.InNamespace(machine.Name)))
		stands = request != nil && request.GetAnnotations()[v1alpha1.OperationAnnotation] == ""
	}
	if stands {
		m.w.Fail(rules.TakeOver, "%s, and what the version before has left there stands", what)
	}
}
