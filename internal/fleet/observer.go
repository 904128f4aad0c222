package fleet

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
)

// Observer reads a fleet. It is safe for concurrent use.
type Observer struct {
	// Client reads from the cache, and Live past it.
	Client client.Reader
	Live   client.Reader
	// Health, Checks and Repairs observe as their controllers do.
	Health    *machinehealth.Observer
	Checks    *machinehealthcheck.Reader
	Repairs   *remediation.Reader
	Selectors *mhcspec.Selectors
	Policy    mhcspec.Policy
	// Assumed reports whether the policy is only assumed to be the manager's.
	Assumed bool
	// Records reports whether MachineRemediations can be read.
	Records bool
	// AskManagers makes it read the leases of managers, to find out who leads. LeaseNamespace is their namespace; empty if it is not
	// known.
	AskManagers    bool
	LeaseNamespace string
	// Alone is the name of the only manager, if it needs no lease. Reading the lease still shows whether the API server answers.
	Alone string
	Clock clock.PassiveClock
}

// look is one reading of a fleet.
type look struct {
	*Observer
	facts explain.Facts
	// machines and checks are by UID.
	machines map[types.UID]*explain.Machine
	checks   map[types.UID]*explain.Check
	clusters map[client.ObjectKey]*clusterv1.Cluster
	// unreadable says why the Nodes of a cluster cannot be read.
	unreadable map[client.ObjectKey]string
	// confirmed is how many Nodes have been read live.
	confirmed int
}

// Look reads the fleet of a namespace; empty means all.
func (o *Observer) Look(ctx context.Context, namespace string) (explain.Facts, error) {
	now := o.Clock.Now()
	manager, err := o.manager(ctx, namespace)
	if err != nil {
		return explain.Facts{}, err
	}
	l := &look{
		Observer: o, facts: explain.Facts{Now: now, Manager: manager, Assumed: o.Assumed},
		machines: map[types.UID]*explain.Machine{}, checks: map[types.UID]*explain.Check{},
		clusters: map[client.ObjectKey]*clusterv1.Cluster{}, unreadable: map[client.ObjectKey]string{},
	}
	for _, read := range []func(context.Context, string) error{l.readClusters, l.readMachines, l.readChecks, l.readRecords, l.readHosts} {
		if err := read(ctx, namespace); err != nil {
			return explain.Facts{}, err
		}
	}
	l.facts.NoteBusyOwners()
	l.judge(ctx)
	l.sort()
	l.readOwners(ctx)
	return l.facts, nil
}

func (l *look) readClusters(ctx context.Context, namespace string) error {
	var list clusterv1.ClusterList
	if err := l.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing Clusters: %w", err)
	}
	for i := range list.Items {
		l.clusters[client.ObjectKeyFromObject(&list.Items[i])] = &list.Items[i]
	}
	return nil
}

func (l *look) readMachines(ctx context.Context, namespace string) error {
	var list clusterv1.MachineList
	if err := l.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing Machines: %w", err)
	}
	for i := range list.Items {
		machine := &explain.Machine{Machine: &list.Items[i]}
		l.machines[machine.Machine.UID] = machine
		l.facts.Machines = append(l.facts.Machines, machine)
	}
	return nil
}

// readChecks observes and decides for each MachineHealthCheck. A failure for one does not affect the others.
func (l *look) readChecks(ctx context.Context, namespace string) error {
	var list clusterv1.MachineHealthCheckList
	if err := l.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing MachineHealthChecks: %w", err)
	}
	for i := range list.Items {
		check := &explain.Check{MachineHealthCheck: &list.Items[i], Foreign: !l.Policy.Manages(&list.Items[i])}
		l.facts.Checks = append(l.facts.Checks, check)
		l.checks[check.MachineHealthCheck.UID] = check
		var err error
		if check.Facts, check.Decision, err = l.Checks.Look(ctx, check.MachineHealthCheck); err != nil {
			check.Problem = err.Error()
		}
		for _, target := range check.Facts.Targets {
			if machine := l.machines[target.Machine.UID]; machine != nil {
				machine.Checks = append(machine.Checks, check)
				check.Machines = append(check.Machines, machine)
			}
		}
	}
	for _, machine := range l.facts.Machines {
		machine.Choose()
	}
	l.undecided()
	for _, check := range l.facts.Checks {
		check.Nothing = check.SelectsNothing(l.facts.Machines)
	}
	return nil
}

// undecided gives the MachineHealthChecks about which nothing could be decided the machines that they select, and no other has.
func (l *look) undecided() {
	for _, check := range l.facts.Checks {
		if check.Problem == "" {
			continue
		}
		for _, machine := range l.facts.Machines {
			if machine.Check == nil && mhcspec.IsTarget(machine.Machine) && l.Selectors.Matches(check.MachineHealthCheck, machine.Machine) {
				machine.Check = check
				check.Machines = append(check.Machines, machine)
			}
		}
	}
}

// sort adds the Clusters, and sorts everything.
func (l *look) sort() {
	for key, cluster := range l.clusters {
		one := explain.Cluster{Cluster: cluster, Unreadable: l.unreadable[key]}
		if one.Unreadable != "" {
			one.Since = lostSince(cluster)
		}
		l.facts.Clusters = append(l.facts.Clusters, one)
	}
	l.facts.Sort()
}
