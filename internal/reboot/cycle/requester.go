package cycle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// steps are all single steps, in order.
var steps = []v1alpha1.Step{v1alpha1.StepPowerOff, v1alpha1.StepDelete, v1alpha1.StepPowerOn}

// Full reports whether the cycle was made to go through all steps, whatever annotations the Machine has.
func (f *Facts) Full() bool { return f.Spec.Until == "" }

// wants reports whether a step is wanted: the cycle was made for it, or an annotation of the Machine asks for it now.
func (f *Facts) wants(step v1alpha1.Step) bool {
	madeFor := f.Full() || slices.Index(steps, step) <= slices.Index(steps, f.Spec.Until)
	return madeFor || f.Machine.AsksFull || f.Machine.Steps[step]
}

// withdrawn reports whether nobody wants the cycle any more.
func (f *Facts) withdrawn() bool { return f.Deleting }

// inTime returns the steps that annotations ask this cycle for, in order. Once it has released the host, annotations for earlier steps are too
// late: they stay for another cycle.
func (d *draft) inTime() []v1alpha1.Step {
	if d.f.Full() || d.f.Machine.Gone {
		return nil
	}
	released := d.s.PowerOnReleasedAt != nil
	return slices.DeleteFunc(slices.Clone(steps), func(s v1alpha1.Step) bool {
		return !d.f.Machine.Steps[s] || (released && s != v1alpha1.StepPowerOn)
	})
}

// dropAsked removes the annotations for finished steps, and reports whether there are any. One that comes back later asks for another cycle.
func (d *draft) dropAsked() bool {
	at := map[v1alpha1.Step]*metav1.Time{
		v1alpha1.StepPowerOff: d.s.PoweredOffAt, v1alpha1.StepDelete: d.s.IsolatedAt, v1alpha1.StepPowerOn: d.s.LastPoweredOn,
	}
	done := slices.DeleteFunc(d.inTime(), func(s v1alpha1.Step) bool { return at[s] == nil })
	if len(done) == 0 {
		return false
	}
	d.done = done
	d.choose(DropAsked)
	return true
}

// asksForTheRest reports whether the annotation for all that is left asks a cycle that is about to let the host come on. It goes before the host is
// released. One that is set later asks for another cycle.
func (d *draft) asksForTheRest() bool {
	return d.f.Machine.AsksFull && !d.f.Full() && !d.f.Machine.Gone && d.f.MachineUnreadable == "" && !d.f.withdrawn()
}

// leavesAsked reports whether a cycle has ended and annotations that it was to carry out are still there. An aborted one does not count, so they
// stay for the next one.
func (d *draft) leavesAsked() bool { return d.s.Phase != v1alpha1.Aborted && len(d.inTime()) > 0 }
