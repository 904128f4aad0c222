package upgradepause

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observe asks all signals about one MachineHealthCheck.
func (r *Reconciler) observe(ctx context.Context, check *metav1.PartialObjectMetadata) Facts {
	facts := Facts{Annotations: check.Annotations, WarnAfter: r.WarnAfter}
	for _, signal := range r.Signals {
		for _, reading := range signal.Read(ctx, check) {
			facts.add(reading)
			if !errors.Is(reading.Err, errStarting) {
				r.heard.note(ctx, r.Recorder, reading)
			}
		}
	}
	facts.Settle = r.settling(ctx, check, facts)
	facts.Lost = r.fights.of(client.ObjectKeyFromObject(check), *joined(facts.ids(false)))
	return facts
}

// add takes in what a signal says.
func (f *Facts) add(reading Reading) {
	f.Excepted = f.Excepted || reading.Excepted
	switch {
	case errors.Is(reading.Err, errStarting):
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs})
		return
	case reading.Err != nil:
		f.Unknown = append(f.Unknown, Unknown{IDs: reading.IDs, Why: reading.Err.Error()})
	}
	for _, u := range reading.Upgrades {
		if reading.Elsewhere && !slices.Contains(noted(f.Annotations), u.ID) {
			continue
		}
		u.Halted = u.Halted || reading.Elsewhere
		f.Upgrades = append(f.Upgrades, u)
	}
}

// settling reads what has to get Ready, if anything has, and now is the time.
func (r *Reconciler) settling(ctx context.Context, check *metav1.PartialObjectMetadata, facts Facts) Settle {
	if r.SettleTimeout <= 0 || r.Readiness == nil || (r.Ours != nil && r.Ours(check)) {
		return Settle{}
	}
	settle := Settle{Within: r.SettleTimeout}
	if !facts.over() {
		return settle
	}
	names, err := r.Readiness.NotReady(ctx, check)
	switch {
	case errors.Is(err, errStarting):
		settle.Starting = true
	case err != nil:
		settle.Unknown = err.Error()
	}
	settle.NotReady = names
	return settle
}
