package remediation

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// otherRecords reads the other open records of the machine. What people ask for waits for one of a health check that has begun, and one that has
// not makes room for it. Otherwise the later one waits, and all wait for a person who keeps the host off. Before an act, they are read past the
// cache.
func (r *Reader) otherRecords(ctx context.Context, v *view) error {
	own := v.facts.Record
	all, err := r.recordsOfMachine(ctx, v)
	if err != nil {
		return err
	}
	for _, other := range all {
		if other.UID == own.UID || ladder.Ended(other) {
			continue
		}
		if ladder.Before(other, own) {
			v.facts.Safety.HeldByOthers = cmp.Or(v.facts.Safety.HeldByOthers, ladder.Cause{What: ladder.OtherRecordAtWork, Name: other.Name})
		}
		if other.Spec.OnTheirWord() && !own.Spec.OnTheirWord() {
			v.facts.Safety.Superseded = ladder.Cause{What: ladder.AskedInstead, Name: other.Name, Detail: other.Spec.RequestedBy.Asker()}
		}
	}
	return nil
}

func (r *Reader) recordsOfMachine(ctx context.Context, v *view) ([]*v1alpha1.MachineRemediation, error) {
	own := v.facts.Record
	switch {
	case own.Spec.AskedFor() && v.how > cached:
		return r.liveRecordsOfMachine(ctx, v)
	case r.Cache == nil:
		// A person looks, who need not see how two records make room for each other.
		return nil, nil
	}
	return recordstore.OfMachine(ctx, r.Cache, own.Namespace, own.Spec.MachineRef.UID)
}

// liveRecordsOfMachine lists records past the cache. The list may show that a person has answered since the record itself was read.
func (r *Reader) liveRecordsOfMachine(ctx context.Context, v *view) ([]*v1alpha1.MachineRemediation, error) {
	own := v.facts.Record
	all, err := recordstore.LiveOfMachines(ctx, v.reader, own.Namespace, own.Spec.MachineRef.UID)
	for _, listed := range all {
		if listed.UID == own.UID && listed.ResourceVersion != own.ResourceVersion {
			return nil, fmt.Errorf("MachineRemediation %s: %w", client.ObjectKeyFromObject(own), errStale)
		}
	}
	return all, err
}

// heldBy returns the objects whose hold counts for what somebody asks for.
func heldBy(v *view) []client.Object {
	objects := []client.Object{v.machine}
	if v.mhc != nil {
		objects = append(objects, v.mhc)
	}
	if v.cluster != nil {
		objects = append(objects, v.cluster)
	}
	return objects
}

// judgeAskedFor reads who else works on the machine. Nobody judges its health: the asker's word is enough.
func (r *Reader) judgeAskedFor(ctx context.Context, v *view) error {
	if v.cluster == nil {
		return nil
	}
	observer := *r.Observer
	observer.Nodes = r.liveNodes(v)
	// The checks of no MachineHealthCheck are asked: only the Node matters.
	facts, err := observer.Facts(ctx, v.machine, &clusterv1.MachineHealthCheck{}, v.cluster, true)
	if err != nil {
		return err
	}
	v.node = facts.Node.Node
	v.facts.Safety.OthersAtWork = workOfOthers(v.node, v.facts.RemediateAsked)
	if ladder.NeedsNoSlot(v.facts.Record) || v.facts.Unlimited {
		return nil
	}
	plan, err := v.planOf(ctx, v.mhc)
	if err != nil {
		return err
	}
	v.facts.Safety.OverBudget, err = r.Gatekeeper.OverBudget(ctx, v.mhc, v.cluster, plan, v.openRecords)
	return err
}

// safetyAsked reads what keeps Sickbay from acting on what somebody asked for. A pause of the Machine or of its Cluster stops
// everybody, that of Sickbay's MachineHealthCheck nobody, and that of another health check what it asks for.
func (r *Reader) safetyAsked(ctx context.Context, v *view) error {
	s, on := &v.facts.Safety, heldBy(v)
	if v.facts.Record.Spec.RequestedBy.Kind == v1alpha1.AskedByHealthCheck {
		paused, also, err := r.checkPaused(ctx, v)
		if err != nil {
			return err
		}
		s.Paused, on = cmp.Or(s.Paused, paused), append(on, also...)
	}
	s.OnHold, s.HoldUntil = mhcspec.OnHold(r.Clock.Now(), on...)
	if v.facts.Record.Spec.RequestedBy.Kind != v1alpha1.AskedByAnnotation {
		return nil
	}
	limited, err := r.slotsLimited(ctx, v)
	v.limited, v.facts.Unlimited = limited, !limited
	return err
}

// slotsLimited reports whether the machine's MachineHealthCheck limits how many machines are repaired at once, and gives slots to what annotations ask for.
func (r *Reader) slotsLimited(ctx context.Context, v *view) (bool, error) {
	if v.mhc == nil || v.cluster == nil || !mhcspec.IsTarget(v.machine) || !v.mhc.DeletionTimestamp.IsZero() || !r.Policy.Manages(v.mhc) {
		return false, nil
	}
	plan, err := v.planOf(ctx, v.mhc)
	if err != nil {
		return false, err
	}
	config, _ := mhcspec.ParseConfig(v.mhc, plan)
	return config.MaxInFlight != nil || mhcspec.PlanMissing(v.mhc, plan), nil
}

// checkPaused says why the health check that asked may not have the machine repaired now. It also returns what else may put that on hold.
func (r *Reader) checkPaused(ctx context.Context, v *view) (why ladder.Cause, on []client.Object, err error) {
	switch {
	case mhcspec.RemediationSkipped(v.machine):
		return ladder.Cause{What: ladder.Annotated, Name: clusterv1.MachineSkipRemediationAnnotation}, nil, nil
	case r.OpenShift:
		said, on, err := openshift.Paused(ctx, r.Live, v.machine)
		return ladder.Said(said), on, err
	case v.mhc == nil || v.cluster == nil:
		return ladder.Cause{}, nil, nil
	}
	return ladder.Said(strings.Join(mhcspec.Paused(v.mhc, v.cluster), ", ")), nil, nil
}

// stillAsked notes that somebody does not ask any more. For another health check, the machine is healthy then.
func (r *Reader) stillAsked(ctx context.Context, v *view) error {
	by := v.facts.Record.Spec.RequestedBy
	why, err := r.withdrawn(ctx, v, by)
	v.facts.Withdrawn = why
	if err == nil && why != "" && by.Kind == v1alpha1.AskedByHealthCheck {
		v.facts.Withdrawn, v.facts.Machine.Health = "", ladder.Healthy
	}
	return err
}

// withdrawn says that the request or the annotation of a record is gone; empty if it stands.
func (r *Reader) withdrawn(ctx context.Context, v *view, by *v1alpha1.RemediationRequester) (string, error) {
	switch {
	case by.Kind == v1alpha1.AskedByPerson:
	case by.UID != "":
		return requestWithdrawn(ctx, v, by)
	case ladder.SingleSteps(v.facts.Record):
		// Once the host is off, it goes on only as an annotation says.
		off := ladder.AtWork(v.facts.Record) != nil && v.facts.Request != nil && !v.facts.Request.HostOffAt.IsZero()
		if !off && !onmachine.AsksForSteps(v.machine) {
			return "Somebody has removed the annotation " + by.Name, nil
		}
	case !onmachine.StillAsks(v.machine, v.facts.Record):
		return "Somebody has removed the annotation " + by.Name, nil
	}
	return "", nil
}

// requestWithdrawn says that the request of a record is gone, or goes; empty if it stands.
func requestWithdrawn(ctx context.Context, v *view, by *v1alpha1.RemediationRequester) (string, error) {
	key := client.ObjectKey{Namespace: v.facts.Record.Namespace, Name: by.Name}
	request, err := scaffold.Find(ctx, v.reader, key, &v1alpha1.RebootRemediation{})
	if err == nil && (request == nil || request.UID != by.UID || !request.DeletionTimestamp.IsZero()) {
		return "RebootRemediation " + by.Name + " was deleted", nil
	}
	return "", err
}
