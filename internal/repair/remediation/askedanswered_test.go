package remediation

import (
	"context"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestDenyBetweenTwoLiveReadsIsHeard: the list of the machine's records is read after the record itself, and shows it, too.
func TestDenyBetweenTwoLiveReadsIsHeard(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	record := f.admit(a, byAnnotation())
	f.signed(a, record)
	f.Live = &beforeFirstList{Reader: f.env.Client, do: func() {
		change(f, record, func(r *v1alpha1.MachineRemediation) {
			r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerDeny, By: "ann"}
		})
	}}
	for range 3 {
		f.reconcile(record)
	}
	if n := f.cycles(); n != 0 {
		t.Errorf("%d cycle, although ann has denied it: %s", n, f.summary(record))
	}
}

// beforeFirstList does something just before the first list of records.
type beforeFirstList struct {
	client.Reader
	do func()
}

func (r *beforeFirstList) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, ok := list.(*v1alpha1.MachineRemediationList); ok && r.do != nil {
		do := r.do
		r.do = nil
		do()
	}
	return r.Reader.List(ctx, list, opts...)
}
