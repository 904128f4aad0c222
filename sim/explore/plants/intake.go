package plants

import (
	"context"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfIntake break the rules about what others ask for.
var plantsOfIntake = []*history.Plant{
	{
		Name: "answers nothing", World: askedWorld(), Rule: rules.Consumed,
		About:  "an annotation that asks for a power cycle stays as it is, so it asks again when that is over",
		Change: answersNothing,
	},
}

// askedWorld returns a world with healthy machines, and people who ask for power cycles.
func askedWorld() *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, worlds.Askers)
	s.Sick, s.Reboot = 0, true
	return unfinished(s)
}

// answersNothing drops what intake writes on Machines.
func answersNothing(p *history.Process, with history.Parts) history.Parts {
	return withFuncs(with, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
		if _, machine := obj.(*clusterv1.Machine); machine && p.Item.Controller == intake.ControllerName {
			return nil
		}
		return c.Patch(ctx, obj, patch, opts...)
	}})
}
