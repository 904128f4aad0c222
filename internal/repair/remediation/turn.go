package remediation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/jitter"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// maxMisses is how often a write may miss its Machine, because others change it at the same moment, before the record gives its
// slot to the next in line.
const maxMisses = 5

// carryOut takes a record as far as it gets: observe, decide, act, and again. It returns when to look at the record again; zero
// means never.
func (r *Reconciler) carryOut(ctx context.Context, record *v1alpha1.MachineRemediation) (time.Duration, error) {
	misses, last := 0, (*view)(nil)
	for range ladder.MaxTurns {
		v, decision, err := r.turn(ctx, record, last, misses)
		last = v.again()
		switch {
		case errors.Is(err, remedy.ErrChanged) && misses < maxMisses:
			misses, last = misses+1, nil
		case err != nil:
			return 0, err
		case decision.Act == ladder.Close && slices.Contains(record.Finalizers, v1alpha1.RemediationFinalizer):
			// A late act may still come.
			return sweepRetry, nil
		case decision.Act == ladder.Close:
			return r.keepHistory(ctx, record, true)
		case decision.Store || decision.Act != ladder.None:
		case ladder.Ended(record):
			return r.keepHistory(ctx, record, false)
		default:
			decision.RecheckAt = healthcheck.Earliest(decision.RecheckAt, v.leadsUntil)
			return r.recheck(record, decision), r.tidySign(ctx, record, v)
		}
	}
	return 0, fmt.Errorf("MachineRemediation %s did not settle", client.ObjectKeyFromObject(record))
}

// turn observes once, and does one thing. If the last attempt at an act misses, it gives the act up. It returns what it read.
func (r *Reconciler) turn(ctx context.Context, record *v1alpha1.MachineRemediation, last *view, misses int) (*view, ladder.Decision, error) {
	v, decision, err := r.observeAndDecide(ctx, record, last, misses > 0)
	switch {
	case err != nil:
	case decision.Store:
		err = r.store(ctx, record, v, decision)
	case decision.Act != ladder.None:
		err = r.act(ctx, record, v, decision, misses == maxMisses)
	}
	return v, decision, err
}

// observeAndDecide observes as deeply as the decision needs: it begins with the last view, or else with the caches, and observes anew, past them,
// if there is something to do. The last view is never enough for an act that begins something. If an act has missed its Machine, the next one
// does not depend on the version.
func (r *Reader) observeAndDecide(ctx context.Context, record *v1alpha1.MachineRemediation, last *view, missed bool) (*view, ladder.Decision, error) {
	v, err := last, error(nil)
	if v == nil {
		v, err = r.observe(ctx, record, cached, nil)
	} else {
		v.takeOverMark()
		err = r.requestFacts(ctx, v)
	}
	for err == nil {
		if err = r.ruleFacts(ctx, v); err != nil {
			break
		}
		decision := ladder.Decide(v.facts, r.Clock.Now())
		needed := depthFor(decision, missed)
		switch {
		case v.how == bound && needed != bound:
			// It is not the act that the Machine of the cache is good enough for.
			needed = judged
		case needed <= v.how:
			return v, decision, nil
		}
		v, err = r.observe(ctx, record, needed, v)
	}
	return nil, ladder.Decision{}, err
}

// takeOverMark counts a mark as the record's own once the record has stored that it goes by it.
func (v *view) takeOverMark() {
	if v.machine != nil {
		v.facts.Machine.Mark = onmachine.Machine(v.machine, v.facts.Record).Mark
	}
}

// unannounced is how long to wait before looking again at what no event announces.
const unannounced = time.Minute

// recheck is the earliest of all times at which to look again.
func (r *Reconciler) recheck(record *v1alpha1.MachineRemediation, decision ladder.Decision) time.Duration {
	period := r.SyncPeriod
	if r.OpenShift && !ladder.Ended(record) {
		period = unannounced
	}
	return scaffold.RequeueAfter(decision.RecheckAt, r.Clock.Now(), jitter.Within(period, record.UID))
}

// depth says how far an observation goes past the caches.
type depth int

const (
	// cached reads from the caches.
	cached depth = iota
	// confirmed reads the Machine and what it depends on past the caches.
	confirmed
	// current also reads the record past the cache.
	current
	// bound also reads the Node past the cache, judges the Machine anew, and checks gate and budget. Only the Machine comes from the cache: the
	// write that follows tests its version, which stands for a read just before it.
	bound
	// judged also reads the Machine past the cache.
	judged
)

// depthFor returns the depth needed to carry a decision out. An act on a machine needs everything, and a withdrawal needs the
// current record. A status must not rest on an old cache either, except for the record itself: status writes, and the end of a
// record, are bound to the version that was read.
//
// A mark is one write of the Machine, so it first tests the version that the cache shows. If that misses, because others write to the Machine,
// the next try rests on what is read past the cache, and tests the verdict alone: a Machine that is written many times a second is repaired,
// too. A deletion reads the Machine itself, again and again. What makes a request writes another object, which cannot test the Machine.
func depthFor(decision ladder.Decision, missed bool) depth {
	switch {
	case decision.Act == ladder.MarkForOwner && !missed:
		return bound
	case decision.Act.Begins():
		return judged
	case decision.Act == ladder.Close:
		return cached
	case decision.Act != ladder.None:
		return current
	case decision.Store:
		return confirmed
	}
	return cached
}
