package upgradepause

import (
	"context"
	"errors"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// observe asks all signals about one MachineHealthCheck.
func (r *Reconciler) observe(ctx context.Context, check *metav1.PartialObjectMetadata) Facts {
	facts := Facts{Annotations: check.Annotations, WarnAfter: r.WarnAfter}
	var unreadable []string
	for _, signal := range r.Signals {
		reading := signal.Read(ctx, check)
		switch {
		case errors.Is(reading.Err, errStarting):
			facts.Starting = true
			continue
		case reading.Err != nil:
			unreadable = append(unreadable, reading.Err.Error())
		}
		facts.Upgrades = append(facts.Upgrades, reading.Upgrades...)
		r.heard.note(ctx, r.Recorder, reading)
	}
	facts.Unreadable = strings.Join(unreadable, "; ")
	return facts
}
