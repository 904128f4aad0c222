package reboot

import (
	"context"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// observed is what was read for a decision and for carrying it out.
type observed struct {
	request *v1alpha1.RebootRemediation
	facts   cycle.Facts
	machine *machine
	host    *metal3v1.BareMetalHost
	// plane is what decides whether a control-plane machine may begin; nil if nothing keeps it waiting.
	plane *quorum.Facts
	// outcomes are those of reads without which a decision can still be made.
	outcomes []outcome
}

// outcome says whether a read has failed, or an action.
type outcome struct {
	of  cycle.Action
	err error
}

func (v *observed) note(read cycle.Action, err error) {
	v.outcomes = append(v.outcomes, outcome{read, err})
}

// observe reads live everything that a decision needs. It reads the host last, so that the write to the host follows at once. If it fails, the
// result still has the outcomes.
func (r reader) observe(ctx context.Context, request *v1alpha1.RebootRemediation, place *clusterPlace) (v observed, err error) {
	v = observed{request: request, facts: factsOf(request)}
	v.facts.Drains = r.drains
	if v.machine, err = r.machine(ctx, request); err != nil {
		if request.Status.Host == nil {
			return v, err
		}
		v.machineUnreadable("The machine cannot be read", err)
		v.host, v.facts.Host, err = r.hostOf(ctx, request, cycle.Consumer{}, request.Status.Host.Name)
		return v, err
	}
	v.facts.Machine = v.machine.facts(request)
	v.facts.Machine.Autoscaled = r.autoscaled(ctx, &v)
	if v.machine != nil && cycle.NeedsRecord(&v.facts) {
		v.facts.NotStored = r.notStored(ctx, &v)
	}
	if err = r.observeNode(ctx, &v, place); err != nil {
		return v, err
	}
	r.observePlane(ctx, &v)
	if cycle.NeedsSiblings(&v.facts) {
		if v.facts.Siblings, err = r.siblings(ctx, request); err != nil {
			return v, err
		}
	}
	v.host, v.facts.Host, err = r.host(ctx, &v)
	if v.facts.MachineUnreadable == "" {
		v.note(readMachine, nil)
	}
	return v, err
}
