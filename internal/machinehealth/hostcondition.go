package machinehealth

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// steadyHost keeps the condition of the host from turning True while the operator retries: meanwhile the host shows no error, and a
// failing attempt takes up to three minutes.
var steadyHost = healthcheck.Damping{Successes: 2, Interval: 3 * time.Minute}

// hostApplies reports whether a Machine gets a condition about its host: if errors of hosts are judged, and it has one.
func (r reader) hostApplies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	host, err := r.observer.Hosts.of(ctx, in.Object, false)
	if err != nil || host.Name == "" && !stands(in.Object, verdict.HostConditionType) {
		return healthcheck.LeaveAlone, err
	}
	return r.alsoApplies(ctx, in, verdict.HostConditionType, func(checks []*clusterv1.MachineHealthCheck) bool { return judges(checks, host) })
}

// stands reports whether a Machine has a condition that we wrote.
func stands(machine *clusterv1.Machine, conditionType string) bool {
	return meta.FindStatusCondition(machine.Status.Conditions, conditionType) != nil && ownwrites.Wrote(machine, conditionType, FieldOwner)
}

// alsoApplies reports whether a Machine gets a condition besides its verdict, which its MachineHealthChecks must ask for.
func (r reader) alsoApplies(ctx context.Context, in input, conditionType string, asked func([]*clusterv1.MachineHealthCheck) bool) (healthcheck.Applicability, error) {
	machine := in.Object
	checks, err := r.selecting(ctx, machine)
	if err != nil || !stands(machine, conditionType) && !asked(checks) {
		return healthcheck.LeaveAlone, err
	}
	applies, err := r.applies(ctx, in)
	switch {
	case err != nil:
		return 0, err
	case applies == healthcheck.LeaveAlone && !r.handsBack(checks):
		// A drain also leaves a Machine alone that has no verdict, but that one may still have this condition.
		return healthcheck.LeaveAlone, nil
	case applies == healthcheck.Applies && asked(checks):
		return healthcheck.Applies, nil
	case !stands(machine, conditionType):
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.DoesNotApply, nil
}

// judges reports whether a Machine has a host, and one of its MachineHealthChecks asks to judge errors of hosts.
func judges(checks []*clusterv1.MachineHealthCheck, host verdict.HostFacts) bool {
	return host.Name != "" && slices.ContainsFunc(checks, func(mhc *clusterv1.MachineHealthCheck) bool { return mhcspec.RulesOf(mhc).HostErrorTimeout > 0 })
}

// checkHost returns the condition of the host, whose transition time stores when an error began.
func (r reader) checkHost(ctx context.Context, in input) (healthcheck.Result, error) {
	host, err := r.observer.Hosts.of(ctx, in.Object, false)
	return verdict.DecideHost(host), err
}
