package slots

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Reader reads the machines of a MachineHealthCheck and their records.
type Reader struct {
	Cache client.Reader
	// Live reads past the cache.
	Live      client.Reader
	Observer  *machinehealth.Observer
	Selectors *mhcspec.Selectors
	Policy    mhcspec.Policy
	Clock     clock.PassiveClock
}

// AddTargets finds the Machines that the MachineHealthCheck judges, and those that it selects but that one of another controller has to itself.
func (m Reader) AddTargets(ctx context.Context, f *admission.Facts) error {
	mhc := f.MachineHealthCheck
	machines, err := m.Selectors.MachinesSelectedBy(ctx, m.Cache, mhc)
	if err != nil {
		return err
	}
	rivals, err := mhcspec.Rivals(ctx, m.Cache, mhc)
	if err != nil {
		return err
	}
	rivals = slices.DeleteFunc(rivals, func(other *clusterv1.MachineHealthCheck) bool { return other.UID == mhc.UID })
	slices.SortFunc(machines, func(a, b *clusterv1.Machine) int { return strings.Compare(a.Name, b.Name) })
	f.Elsewhere = map[string][]string{}
	f.Targets = make([]admission.Target, 0, len(machines))
	for _, machine := range machines {
		if !mhcspec.IsTarget(machine) {
			continue
		}
		f.Targets = append(f.Targets, admission.Target{Machine: machine})
		if !slices.ContainsFunc(rivals, func(other *clusterv1.MachineHealthCheck) bool { return m.Selectors.Matches(other, machine) }) {
			continue
		}
		if err := m.share(ctx, f, rivals); err != nil {
			return err
		}
	}
	return nil
}

// AddRecords adds records to the history of the cluster, and keeps those of the MachineHealthCheck.
func (m Reader) AddRecords(ctx context.Context, f *admission.Facts, all []*v1alpha1.MachineRemediation) error {
	f.History = append(f.History, all...)
	for _, one := range all {
		ours, err := m.ours(ctx, f, one)
		if err != nil {
			return err
		}
		if ours {
			f.Records = append(f.Records, one)
		}
	}
	return nil
}

// ours reports whether a record counts for the MachineHealthCheck: its machine is a target, whichever one the record names; or the record names
// this one, and no other one has its machine.
func (m Reader) ours(ctx context.Context, f *admission.Facts, r *v1alpha1.MachineRemediation) (bool, error) {
	if targeted(f.Targets, r.Spec.MachineRef) {
		return true, nil
	}
	// By name: a MachineHealthCheck that was deleted and made again continues the records of its predecessor.
	if r.Spec.HealthCheckRef.Name != f.MachineHealthCheck.Name {
		return false, nil
	}
	machine := &clusterv1.Machine{}
	if err := m.Cache.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: r.Spec.MachineRef.Name}, machine); err != nil {
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, fmt.Errorf("getting machine %s: %w", r.Spec.MachineRef.Name, err)
	}
	if machine.UID != r.Spec.MachineRef.UID || !mhcspec.IsTarget(machine) {
		return true, nil
	}
	mhcs, err := mhcspec.MachineHealthChecksFor(ctx, m.Cache, machine)
	if err != nil {
		return false, err
	}
	return len(m.Selectors.Selecting(machine, mhcs)) == 0, nil
}

// targeted reports whether a machine is among targets, which are sorted by name.
func targeted(all []admission.Target, machine v1alpha1.RemediatedMachineReference) bool {
	i, found := slices.BinarySearchFunc(all, machine.Name, func(t admission.Target, name string) int { return cmp.Compare(t.Machine.Name, name) })
	return found && all[i].Machine.UID == machine.UID
}

// Suspect finds, from the caches, which conditions so many Nodes show at once that their detector may be wrong.
func (m Reader) Suspect(ctx context.Context, f *admission.Facts) error {
	observer := *m.Observer
	observer.Nodes = workload.ForMany(ctx, observer.Nodes, client.ObjectKeyFromObject(f.Cluster), len(f.Targets))
	return f.Suspect(m.Clock.Now(), func(machine *clusterv1.Machine) (verdict.Facts, error) {
		return observer.CachedFacts(ctx, machine, f.MachineHealthCheck, f.Cluster)
	})
}

// Judge judges all targets anew, from the caches. Verdicts are written one by one, but Nodes may vanish all at once: after the
// first verdict, the limit alone would admit machines until it is reached. It stops as soon as more than the given number are
// unhealthy, which is all that matters.
func (m Reader) Judge(ctx context.Context, f *admission.Facts, most int) error {
	unhealthy, observer := 0, *m.Observer
	observer.Nodes = workload.ForMany(ctx, observer.Nodes, client.ObjectKeyFromObject(f.Cluster), len(f.Targets))
	for i := range f.Targets {
		target := &f.Targets[i]
		if !target.Machine.DeletionTimestamp.IsZero() {
			unhealthy++
			continue
		}
		facts, err := observer.CachedFacts(ctx, target.Machine, f.MachineHealthCheck, f.Cluster)
		if err != nil {
			return err
		}
		if target.Present = admission.PresentOf(verdict.Decide(facts, m.Clock.Now())); target.Present == metav1.ConditionTrue && target.Repaired() {
			target.Present = metav1.ConditionUnknown
		}
		if target.Present != metav1.ConditionTrue {
			unhealthy++
		}
		if unhealthy > most {
			return nil
		}
	}
	return nil
}

// LiveRecords replaces the open records with live reads: the previous leader may have admitted machines just before it stopped.
func (m Reader) LiveRecords(ctx context.Context, f *admission.Facts) error {
	all, err := recordstore.LiveOpenOfCluster(ctx, m.Live, client.ObjectKeyFromObject(f.Cluster))
	if err != nil {
		return err
	}
	f.Records, f.History = withoutOpenLabel(f.Records), withoutOpenLabel(f.History)
	return m.AddRecords(ctx, f, all)
}

// withoutOpenLabel returns the records without the label of open ones.
func withoutOpenLabel(all []*v1alpha1.MachineRemediation) []*v1alpha1.MachineRemediation {
	var over []*v1alpha1.MachineRemediation
	for _, r := range all {
		if _, open := r.Labels[v1alpha1.OpenLabel]; !open {
			over = append(over, r)
		}
	}
	return over
}
