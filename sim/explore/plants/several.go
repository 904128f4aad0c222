package plants

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfSeveral break the rules about machines that two health checks select.
var plantsOfSeveral = []*history.Plant{
	{
		Name: "both act", World: plantWorld(worlds.OwnerReplaces, 0, worlds.Second, worlds.Caches), Rule: rules.OneRecord,
		About: "each of two health checks passes the other one over, and the names of their records differ",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			with = named[*v1alpha1.MachineRemediation](p, with)
			return otherChecks(with, func(mhc *clusterv1.MachineHealthCheck) bool {
				metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, mhcspec.HoldUntilAnnotation, "always")
				return true
			})
		},
	},
	{
		Name: "paused is healthy", World: plantWorld(worlds.OwnerReplaces, 0, worlds.Second), Rule: rules.Part,
		About: "a health check that is paused counts as one that finds its machines healthy",
		Change: func(_ *history.Process, with history.Parts) history.Parts {
			return otherChecks(with, func(mhc *clusterv1.MachineHealthCheck) bool {
				return !mhcspec.HasAnnotation(mhc, clusterv1.PausedAnnotation)
			})
		},
	},
}

// otherChecks changes the MachineHealthChecks of a list, and drops some: those that are looked for besides one.
func otherChecks(with history.Parts, keeps func(*clusterv1.MachineHealthCheck) bool) history.Parts {
	return cachedList(with, func(list client.ObjectList) {
		if all, ok := list.(*clusterv1.MachineHealthCheckList); ok {
			shown := all.DeepCopy().Items
			all.Items = nil
			for i := range shown {
				if keeps(&shown[i]) {
					all.Items = append(all.Items, shown[i])
				}
			}
		}
	})
}
