package slots

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// unreadableRetry is how long to wait before judging a shared Machine again whose Node could not be read.
const unreadableRetry = 15 * time.Second

// share adds to the last target what is known of a Machine that rivals select, too. If the Machine is not the MachineHealthCheck's to judge, it is no
// target.
func (m Reader) share(ctx context.Context, f *admission.Facts, rivals []*clusterv1.MachineHealthCheck) error {
	target, mhc := &f.Targets[len(f.Targets)-1], f.MachineHealthCheck
	is := func(other *clusterv1.MachineHealthCheck) bool { return other.UID == mhc.UID }
	checks, stranger := m.Policy.Share(m.Selectors.Selecting(target.Machine, append(slices.Clone(rivals), mhc)))
	if stranger == nil && !slices.ContainsFunc(checks, is) {
		stranger = checks[0]
	}
	if stranger != nil {
		if !is(stranger) {
			f.Elsewhere[stranger.Name] = append(f.Elsewhere[stranger.Name], target.Machine.Name)
			f.Targets = f.Targets[:len(f.Targets)-1]
		}
		return nil
	}
	if len(checks) == 1 {
		return nil
	}
	facts, err := m.Observer.CachedFacts(ctx, target.Machine, mhc, f.Cluster)
	if err != nil {
		return err
	}
	now := m.Clock.Now()
	own := verdict.Decide(facts, now)
	target.Present = admission.PresentOf(own)
	target.Shared = &admission.Shared{Checks: checks, Part: admission.PartOf(target.Verdict(), own), ChangesAt: own.NextChange()}
	if own.Reason == verdict.ReasonNodeUnavailable && verdict.Of(target.Machine).Reason != own.Reason {
		// Its verdict does not change if the Node can be read again soon, and nothing else would say so.
		target.Shared.ChangesAt = healthcheck.Earliest(target.Shared.ChangesAt, now.Add(unreadableRetry))
	}
	if own.Status != healthcheck.False {
		return m.countRepair(ctx, f, target)
	}
	for _, older := range checks[:slices.IndexFunc(checks, is)] {
		if verdict.Decide(facts.By(admission.TrustedRules(older)), now).Status == healthcheck.False {
			target.Shared.Older = append(target.Shared.Older, older)
		}
	}
	return nil
}

// countRepair has a Machine that this MachineHealthCheck finds healthy counted as undecided while it is repaired for another one.
func (m Reader) countRepair(ctx context.Context, f *admission.Facts, target *admission.Target) error {
	part := target.Shared.Part
	if f.KindsMissing || part == nil || part.Status != metav1.ConditionTrue || meta.IsStatusConditionTrue(target.Machine.Status.Conditions, part.Type) {
		return nil
	}
	records, err := recordstore.OfMachine(ctx, m.Cache, target.Machine.Namespace, target.Machine.UID)
	if slices.ContainsFunc(records, ladder.InFlight) {
		part.Status, target.Present, target.Shared.Repaired = metav1.ConditionUnknown, metav1.ConditionUnknown, true
	}
	return err
}

// AddLeads notes which of the shared Machines other MachineHealthChecks repair.
func (m Reader) AddLeads(ctx context.Context, f *admission.Facts) error {
	known := map[types.UID]string{}
	return f.Lead(func(mhc *clusterv1.MachineHealthCheck) (why string, err error) {
		why, ok := known[mhc.UID]
		if !ok {
			why, err = m.PassedOver(ctx, mhc, f.Cluster, nil)
			known[mhc.UID] = why
		}
		return why, err
	})
}

// Leader returns which of the MachineHealthChecks that select a Machine, the oldest first, repairs it: the oldest that finds it sick and may repair it
// now; nil if none may. Until is when one that comes before it may find the Machine sick without an event. Facts are those of the Machine, and gate says
// why the gate of one is closed.
func (m Reader) Leader(ctx context.Context, facts verdict.Facts, checks []*clusterv1.MachineHealthCheck, gate GateFunc) (leader *clusterv1.MachineHealthCheck, until time.Time, err error) {
	for _, mhc := range checks {
		if part := verdict.Decide(facts.By(admission.TrustedRules(mhc)), m.Clock.Now()); part.Status != healthcheck.False {
			until = healthcheck.Earliest(until, part.NextChange())
			continue
		}
		if why, err := m.PassedOver(ctx, mhc, facts.Cluster, gate); why == "" || err != nil {
			return mhc, until, err
		}
	}
	return nil, until, nil
}

// GateFunc says why the gate of a MachineHealthCheck is closed; empty if it is open.
type GateFunc = func(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, first bool) (string, error)

// PassedOver says why a MachineHealthCheck begins no repair now; empty if it may. Without a gate, it looks at all Machines.
func (m Reader) PassedOver(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, gate GateFunc) (string, error) {
	plan, err := mhcspec.PlanOf(ctx, m.Cache, mhc)
	if err != nil {
		return "", err
	}
	f := admission.Facts{MachineHealthCheck: mhc, Cluster: cluster, SelectorProblem: m.Selectors.Problem(mhc), Template: admission.Template{Plan: plan}}
	if why := admission.PassedOver(f, m.Clock.Now()); why != "" {
		return why, nil
	}
	if gate == nil {
		gate = (&Gatekeeper{Reader: m}).GateClosed
	}
	why, err := gate(ctx, mhc, cluster, true)
	if why != "" {
		why = "its gate is closed"
	}
	return why, err
}

// AbilityChanged passes an update of a MachineHealthCheck whose status says otherwise whether it may repair: another one may come to lead.
func AbilityChanged() predicate.Predicate {
	no := func(event.TypedCreateEvent[client.Object]) bool { return false }
	return predicate.Funcs{CreateFunc: no, UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*clusterv1.MachineHealthCheck), e.ObjectNew.(*clusterv1.MachineHealthCheck)
		return admission.AbilityOf(before) != admission.AbilityOf(after)
	}}
}
