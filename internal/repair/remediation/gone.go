package remediation

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/successor"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// observeGone reads what matters once the Machine is gone: its successor, and whether somebody has stopped the wait for it. A
// built-in plan does not wait.
func (r *Reader) observeGone(ctx context.Context, v *view) error {
	v.facts.Machine.Gone = true
	if v.facts.Record.Spec.BuiltIn() {
		return nil
	}
	var err error
	if v.cluster, err = v.clusterOf(ctx); err != nil {
		return err
	}
	s := &v.facts.Safety
	if s.Terminating = terminating(v.cluster); s.Terminating.IsSet() {
		return nil
	}
	if mhcspec.ClusterPaused(v.cluster) {
		s.Paused = ladder.Cause{What: ladder.ClusterPaused}
	}
	mhc, err := r.healthCheckOfGone(ctx, v)
	if err != nil {
		return err
	}
	if mhc == nil || !r.Policy.Keeps(mhc) {
		s.Unmanaged = ladder.Cause{What: ladder.NotManaged, Name: v.facts.Record.Spec.HealthCheckRef.Name}
		return nil
	}
	template, err := v.planOf(ctx, mhc)
	if err != nil {
		return err
	}
	config, _ := mhcspec.ParseConfig(mhc, template)
	s.OnHold, s.HoldUntil = mhcspec.OnHold(r.Clock.Now(), mhc, v.cluster)
	if paused := mhcspec.Paused(mhc, v.cluster); len(paused) > 0 {
		s.Paused = ladder.Said(strings.Join(paused, ", "))
	} else if !s.Paused.IsSet() {
		s.Paused = admission.OnlyReports(mhc.Name, config)
	}
	v.facts.ResumedAt = r.resumedAt(mhc, v.cluster)
	return r.successorFacts(ctx, v)
}

// terminating says that the Cluster of a machine is being deleted, or is gone.
func terminating(cluster *clusterv1.Cluster) ladder.Cause {
	switch {
	case cluster == nil:
		return ladder.Cause{What: ladder.ClusterGone}
	case !cluster.DeletionTimestamp.IsZero():
		return ladder.Cause{What: ladder.ClusterDeleting}
	}
	return ladder.Cause{}
}

// successorFacts reads which machine replaces the one that is gone, or why none will.
func (r *Reader) successorFacts(ctx context.Context, v *view) error {
	record := v.facts.Record
	attempt := ladder.AtWork(record)
	if attempt == nil || !successor.Awaited(record) {
		return nil
	}
	machines, err := mhcspec.MachinesOf(ctx, r.Cache, clusterKey(record))
	if err != nil {
		return err
	}
	records, err := recordstore.OfCluster(ctx, r.Cache, clusterKey(record))
	if err != nil {
		return err
	}
	if machine := successor.Of(record, machines, records); machine != nil {
		v.facts.Successor = successorFrom(machine, records)
		return nil
	}
	if ref := record.Status.ReplacementRef; ref != nil {
		v.facts.Successor, err = r.claimedBefore(ctx, record, ref, records)
		return err
	}
	v.facts.NoSuccessor, v.facts.SuccessorUnknown, err = r.noSuccessor(ctx, record, attempt.ObjectRef, machines)
	return err
}

// claimedBefore returns the machine that a record claimed and the cache does not show. It is gone, unless the cache is older than
// the claim.
func (r *Reader) claimedBefore(ctx context.Context, record *v1alpha1.MachineRemediation, ref *v1alpha1.RemediationReference, records []*v1alpha1.MachineRemediation) (*ladder.Successor, error) {
	live, err := mhcspec.LiveMachinesOf(ctx, r.Live, clusterKey(record))
	if err != nil {
		return nil, err
	}
	if machine := successor.Of(record, live, records); machine != nil {
		return successorFrom(machine, records), nil
	}
	return &ladder.Successor{Health: ladder.Undecided, Gone: true, Record: ref}, nil
}

func successorFrom(machine *clusterv1.Machine, records []*v1alpha1.MachineRemediation) *ladder.Successor {
	s := &ladder.Successor{
		Name: machine.Name, Health: onmachine.Health(machine), Gone: !machine.DeletionTimestamp.IsZero(), Record: recordFor(machine, records),
	}
	if s.Health == ladder.Healthy {
		s.HealthySince = meta.FindStatusCondition(machine.Status.Conditions, verdict.ConditionType).LastTransitionTime.Time
	}
	return s
}

// recordFor returns the open record of a machine, or else the one that it will get: a machine that a record waits for is admitted
// only after that wait.
func recordFor(machine *clusterv1.Machine, records []*v1alpha1.MachineRemediation) *v1alpha1.RemediationReference {
	highest := 0
	for i := range records {
		r := records[i]
		if r.Spec.MachineRef.UID != machine.UID {
			continue
		}
		if !ladder.Ended(r) {
			return &v1alpha1.RemediationReference{Name: r.Name, UID: r.UID}
		}
		highest = max(highest, recordstore.Ordinal(r))
	}
	return &v1alpha1.RemediationReference{Name: recordstore.Name(machine.Name, machine.UID, highest+1)}
}

// noSuccessor says why an owner makes no other machine: it is gone, or needs no more. It counts the owner's machines past the
// cache, in case one was just made. If the owner does not say how many it wants, nobody can tell.
func (r *Reader) noSuccessor(ctx context.Context, record *v1alpha1.MachineRemediation, ref *v1alpha1.RemediationObjectReference, machines []*clusterv1.Machine) (why string, unknown bool, err error) {
	maker := recordstore.MakerOf(ref)
	owner := &unstructured.Unstructured{}
	owner.SetAPIVersion(ref.APIVersion)
	owner.SetKind(ref.Kind)
	key := client.ObjectKey{Namespace: record.Namespace, Name: ref.Name}
	err = r.Live.Get(ctx, key, owner)
	switch {
	case apierrors.IsNotFound(err), err == nil && (owner.GetUID() != ref.UID || owner.GetDeletionTimestamp() != nil):
		return fmt.Sprintf("%s %s is gone", ref.Kind, ref.Name), false, nil
	case scaffold.Answered(err), meta.IsNoMatchError(err):
		return "", true, nil
	case err != nil:
		return "", false, fmt.Errorf("getting %s %s: %w", ref.Kind, key, err)
	}
	wanted, ok, err := unstructured.NestedInt64(owner.Object, "spec", "replicas")
	if !ok || err != nil {
		return "", true, nil
	}
	if staying(maker, machines) < wanted {
		return "", false, nil
	}
	live, err := mhcspec.LiveMachinesOf(ctx, r.Live, clusterKey(record))
	if err != nil || staying(maker, live) < wanted || len(live) != len(machines) {
		return "", false, err
	}
	return fmt.Sprintf("%s %s wants %d machines, and has them", ref.Kind, ref.Name, wanted), false, nil
}

// staying counts the machines of a maker that are not being deleted.
func staying(maker recordstore.Maker, machines []*clusterv1.Machine) int64 {
	n := int64(0)
	for i := range machines {
		if maker.Made(machines[i]) && machines[i].DeletionTimestamp.IsZero() {
			n++
		}
	}
	return n
}
