package cycle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// ofRecord reports whether the cycle is an attempt of a record, which decides what follows.
func (f *Facts) ofRecord() bool { return f.Spec.RequestedBy.ForRecord() }

// attempts returns how many attempts there may be in all.
func (f *Facts) attempts() int32 {
	if f.ofRecord() {
		return 1
	}
	return f.Spec.Attempts()
}

// steps are all single steps, in order.
var steps = []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn}

// askedSteps returns the steps that annotations of the Machine ask for, in order.
func (d *draft) askedSteps() []v1alpha1.Step {
	return slices.DeleteFunc(slices.Clone(steps), func(s v1alpha1.Step) bool { return !d.f.Machine.Steps[s] })
}

// inTime returns the steps that this cycle can still carry out. Once it has released the host, new annotations for earlier steps
// are too late: they stay for the next cycle.
func (d *draft) inTime() []v1alpha1.Step {
	return slices.DeleteFunc(d.askedSteps(), func(s v1alpha1.Step) bool {
		return d.s.PowerOnReleasedAt != nil && s != v1alpha1.StepPowerOn && !slices.Contains(d.s.AskedSteps, s)
	})
}

// dropAsked removes the annotations for finished steps. It stores that they have gone, so one that comes back counts as a new
// request.
func (d *draft) dropAsked() {
	d.s.AskedSteps = slices.DeleteFunc(d.s.AskedSteps, func(s v1alpha1.Step) bool { return !d.f.Machine.Steps[s] })
	at := map[v1alpha1.Step]*metav1.Time{
		v1alpha1.StepPowerOff: d.s.PoweredOffAt, v1alpha1.StepDelete: d.s.IsolatedAt, v1alpha1.StepPowerOn: d.s.LastPoweredOn,
	}
	d.done = slices.DeleteFunc(d.inTime(), func(s v1alpha1.Step) bool { return at[s] == nil })
	if len(d.done) > 0 {
		d.choose(DropAsked)
	}
}
