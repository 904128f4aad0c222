package remediation

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// over stores a record of a Machine that ended some time ago, and nothing holds any more.
func (f *harness) over(machine *clusterv1.Machine, ordinal int, ago time.Duration, opts ...recordOption) *v1alpha1.MachineRemediation {
	f.t.Helper()
	record := f.admitAgain(machine, ordinal, opts...)
	changeStatus(f, record, func(r *v1alpha1.MachineRemediation) {
		end := metav1.NewTime(f.clock.Now().Add(-ago))
		r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, &end
	})
	change(f, record, func(r *v1alpha1.MachineRemediation) {
		r.Finalizers = nil
		delete(r.Labels, v1alpha1.OpenLabel)
	})
	return record
}

// gone is a Machine that is not there any more.
func (f *harness) gone(name string) *clusterv1.Machine {
	return build.Machine(f.ns, name, build.UID("uid-of-gone"))
}

// kept are the names of the records that are still there.
func (f *harness) kept() []string {
	f.t.Helper()
	list := objects.List(f.t, f.env.Client, &v1alpha1.MachineRemediationList{}, f.ns)
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	slices.Sort(names)
	return names
}

func (f *harness) wantKept(want ...*v1alpha1.MachineRemediation) {
	f.t.Helper()
	var names []string
	for _, record := range want {
		names = append(names, record.Name)
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, f.kept()); diff != "" {
		f.t.Errorf("records (-want +got):\n%s", diff)
	}
}

// TestHistoryThatIsKept: of machines and hosts that live, of plans that remember, and what is still held.
func TestHistoryThatIsKept(t *testing.T) {
	t.Parallel()
	const long = 30 * 24 * time.Hour
	f := newHarness(t)
	f.History = retention.Limits{Count: 1}
	a := f.sick("a")
	var ofA []*v1alpha1.MachineRemediation
	for i := range 12 {
		ofA = append(ofA, f.over(a, 12-i, long+time.Duration(i)*time.Hour))
	}
	host := &unstructured.Unstructured{}
	host.SetGroupVersionKind(hostKind)
	host.SetNamespace(f.ns)
	host.SetName("host")
	build.Create(t.Context(), t, f.env.Client, host)
	on := func(uid types.UID) recordOption {
		return func(s *v1alpha1.MachineRemediationSpec) {
			s.HostRef = &v1alpha1.RemediationReference{Name: "host", UID: uid}
		}
	}
	template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "plan"}}
	template.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{step(v1alpha1.ActionHold)}
	template.Spec.Template.Spec.RelapseWindowSeconds = new(int32(60 * 24 * 3600))
	build.Create(t.Context(), t, f.env.Client, template)

	onHost := f.over(f.gone("h1"), 1, long, on(host.GetUID()))
	f.over(f.gone("h2"), 1, long, on("of the host before"))
	remembered := f.over(f.gone("p"), 1, long, by(step(v1alpha1.ActionHold)))
	held := f.over(f.gone("f"), 1, long)
	change(f, held, func(r *v1alpha1.MachineRemediation) { r.Finalizers = []string{keep} })
	again := f.over(f.gone("x"), 1, long)

	f.reconcile(again)
	f.pass(passPause)
	f.reconcile(again)
	f.wantKept(append(slices.Clone(ofA[:10]), onHost, remembered, held)...)
}

// TestHistoryThatCannotBeDeleted is tried again.
func TestHistoryThatCannotBeDeleted(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.over(f.gone("a"), 1, 8*24*time.Hour)
	f.reconcile(record)
	f.pass(passPause)
	f.writes.fail = failing("delete", errRefused, false)
	if _, err := f.tryReconcile(record); !errors.Is(err, errRefused) {
		t.Errorf("error is %v", err)
	}
	f.writes.fail = nil
	f.reconcile(record)
	f.wantKept()
}

// TestHistoryOfManyPasses: what is too much for one is done by the next.
func TestHistoryOfManyPasses(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	f.History = retention.Limits{Count: 1}
	var all []*v1alpha1.MachineRemediation
	for i := range passMost + 2 {
		all = append(all, f.over(f.gone(fmt.Sprintf("m%d", i)), 1, time.Duration(i+1)*time.Minute))
	}
	f.passes.Set(f.clusterKey(), f.clock.Now())
	if after := f.reconcile(all[0]); after != passPause {
		t.Errorf("looks again after %s", after)
	}
	if n := len(f.kept()); n != 2 {
		t.Errorf("%d are left", n)
	}
	f.pass(passPause)
	f.reconcile(all[0])
	f.wantKept(all[0])
}

// TestHistoryBesideAHostThatCannotBeRead: Sickbay may not read hosts any more, or the webhook that converts them is away. The records of one host stay;
// those of all other machines of the cluster go when their time is up.
func TestHistoryBesideAHostThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, err := range unreadableKinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newHarness(t)
			onHost := f.over(f.gone("h"), 1, 30*24*time.Hour, func(s *v1alpha1.MachineRemediationSpec) {
				s.HostRef = &v1alpha1.RemediationReference{Name: "host", UID: "host-uid"}
			})
			record := f.over(f.gone("a"), 1, 30*24*time.Hour)
			f.Live = f.refuses(hostKind.Kind, err)
			for range 3 {
				if _, err := f.tryReconcile(record); err != nil {
					t.Logf("error: %v", err)
				}
				f.pass(passPause)
			}
			f.wantKept(onHost)
		})
	}
}

// TestHistoryOfOpenShift: the latest record of a living Machine of OpenShift is kept, however old it is. For OpenShift's health check its deletion would
// mean: cycle the host once more.
func TestHistoryOfOpenShift(t *testing.T) {
	t.Parallel()
	o := newOpenShift(t)
	annotate(o.harness, o.machine, external, "")
	record := o.asked(byExternal())
	for range 2 {
		o.reconcile(record)
		o.cycleBegins(record)
		o.reconcile(record)
		o.cycleEnds(record, v1alpha1.Failed, v1alpha1.ReasonNodeTimedOut, "The Node is not back")
		o.reconcile(record)
	}
	o.wantRecord(record, "Ended Ended NotDone reboot:Failed reboot:Failed")
	o.pass(8 * 24 * time.Hour)
	for range 3 {
		o.reconcile(record)
		o.pass(5 * time.Minute)
	}
	if got, exists := stored(o.harness, record); !exists || !got.DeletionTimestamp.IsZero() {
		t.Errorf("the record of Machine %s, which exists since %s, is deleted after 8 days", o.machine.Name, o.machine.CreationTimestamp.Format(metav1.RFC3339Micro))
	}
}

// TestHistoryGoesWithTime: a record is looked at when its time is up, and goes a little later.
func TestHistoryGoesWithTime(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	record := f.over(f.gone("a"), 1, 0)
	for _, step := range []struct{ pass, again time.Duration }{
		{0, 7 * 24 * time.Hour}, {7 * 24 * time.Hour, passPause}, {passPause, keptRecheck},
	} {
		f.wantKept(record)
		f.pass(step.pass)
		if after := f.reconcile(record); after != step.again {
			t.Errorf("after %s it is looked at again after %s, want %s", step.pass, after, step.again)
		}
	}
	f.wantKept()
	if after := f.reconcile(record); after != 0 {
		t.Errorf("it is looked at again after %s", after)
	}
}
