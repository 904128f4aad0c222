package reboot

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

// wantedBy returns what the annotations of a Machine ask for: a full cycle, and single steps. A sign asks for nothing.
func wantedBy(obj metav1.Object) (full bool, steps map[v1alpha1.Step]bool) {
	steps = map[v1alpha1.Step]bool{}
	for key, value := range obj.GetAnnotations() {
		if key == rebootannotation.Request && !rebootannotation.IsSign(value) {
			full = true
		}
		switch step := v1alpha1.Step(strings.TrimPrefix(key, rebootannotation.Request+"/")); step {
		case v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn:
			steps[step] = true
		}
	}
	return full, steps
}

// dropAsked removes the annotations of finished steps from a Machine, or the one for all that is left. A sign stays.
func (w writer) dropAsked(ctx context.Context, machine client.Object, d cycle.Decision) error {
	changes := map[string]any{}
	for key, value := range machine.GetAnnotations() {
		step, single := strings.CutPrefix(key, rebootannotation.Request+"/")
		if single && slices.Contains(d.Done, v1alpha1.Step(step)) {
			changes[key] = nil
		}
		if key == rebootannotation.Request && d.Action == cycle.DropFull && !rebootannotation.IsSign(value) {
			changes[key] = nil
		}
	}
	return w.annotate(ctx, machine, changes)
}
