package intake

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// harness is a Machine of Cluster API.
type harness struct {
	*Reconciler
	t       *testing.T
	env     *env.Env
	ns      string
	events  *events.FakeRecorder
	machine *clusterv1.Machine
}

func newHarness(t *testing.T, opts ...build.MachineOption) *harness {
	t.Helper()
	e := env.Get(t)
	f := &harness{t: t, env: e, ns: e.Namespace(t), events: events.NewFakeRecorder(20)}
	f.machine = build.Machine(f.ns, "m", append([]build.MachineOption{build.InCluster("c"), build.NodeRef("n")}, opts...)...)
	build.Create(t.Context(), t, e.Client, build.Cluster(f.ns, "c"), f.machine)
	f.Reconciler = &Reconciler{Kind: ClusterAPIKind, Client: e.Client, Live: e.Client, Recorder: f.events, Clock: testingclock.NewFakePassiveClock(time.Now())}
	return f
}

func (f *harness) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *harness) tryReconcile() error {
	_, err := f.Reconcile(f.t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)})
	return err
}

func (f *harness) reconcile() {
	f.t.Helper()
	f.must(f.tryReconcile())
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.machine), f.machine))
}

// annotate sets an annotation of the Machine; an empty value removes it.
func (f *harness) annotate(key, value string) {
	f.t.Helper()
	before := f.machine.DeepCopy()
	if f.machine.Annotations == nil {
		f.machine.Annotations = map[string]string{}
	}
	f.machine.Annotations[key] = value
	if value == "" {
		delete(f.machine.Annotations, key)
	}
	f.must(f.env.Client.Patch(f.t.Context(), f.machine, client.MergeFrom(before)))
}

// records returns all records, by their ordinals.
func (f *harness) records() []v1alpha1.MachineRemediation {
	f.t.Helper()
	var list v1alpha1.MachineRemediationList
	f.must(f.env.Client.List(f.t.Context(), &list, client.InNamespace(f.ns)))
	return list.Items
}

// record returns the only record.
func (f *harness) record() *v1alpha1.MachineRemediation {
	f.t.Helper()
	all := f.records()
	if len(all) != 1 {
		f.t.Fatalf("there are %d records", len(all))
	}
	return &all[0]
}

// ends ends a record as the remediation controller does.
func (f *harness) ends(r *v1alpha1.MachineRemediation, status metav1.ConditionStatus, reason string) {
	f.t.Helper()
	r.Status.Phase, r.Status.CompletionTime = v1alpha1.RemediationEnded, new(metav1.NewTime(f.Clock.Now()))
	meta.SetStatusCondition(&r.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionSucceeded, Status: status, Reason: reason, Message: "It is over"})
	f.must(f.env.Client.Status().Update(f.t.Context(), r))
	delete(r.Labels, v1alpha1.OpenLabel)
	f.must(f.env.Client.Update(f.t.Context(), r))
}

func (f *harness) ask(name string, change func(*v1alpha1.RebootRemediation)) *v1alpha1.RebootRemediation {
	f.t.Helper()
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: name}}
	change(request)
	build.Create(f.t.Context(), f.t, f.env.Client, request)
	return request
}

// told returns what a request was told.
func (f *harness) told(request *v1alpha1.RebootRemediation) string {
	f.t.Helper()
	f.must(f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(request), request))
	c := meta.FindStatusCondition(request.Status.Conditions, v1alpha1.ConditionSucceeded)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason + ": " + c.Message
}

// ofCheck makes a request as Cluster API's health check does.
func (f *harness) ofCheck(request *v1alpha1.RebootRemediation) {
	request.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: f.machine.Name, UID: f.machine.UID}}
}

// TestAnnotation: an annotation becomes one record, which is shown in its place, whatever is asked in between. Once the record has ended, the next
// annotation becomes another.
func TestAnnotation(t *testing.T) {
	f := newHarness(t)
	f.annotate(rebootannotation.Request, "please")
	f.reconcile()
	made := f.record()
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: rebootannotation.Request}
	if diff := cmp.Diff(&by, made.Spec.RequestedBy); diff != "" {
		t.Errorf("asked by (-want +got):\n%s", diff)
	}
	if got := f.machine.Annotations[rebootannotation.Request]; got != string(made.UID)+"/1" {
		t.Errorf("the Machine shows %q", got)
	}
	if made.Spec.ClusterName != "c" || made.Spec.NodeRef.Name != "n" || made.Labels[clusterv1.ClusterNameLabel] != "c" || len(made.OwnerReferences) != 1 {
		t.Errorf("it is %+v, owned by %v", made.Spec, made.OwnerReferences)
	}
	f.reconcile()
	f.record()
	f.ends(made, metav1.ConditionTrue, v1alpha1.ReasonDone)
	f.reconcile()
	if _, shown := f.machine.Annotations[rebootannotation.Request]; shown {
		t.Error("a sign of a record that has ended stays")
	}
	f.annotate(rebootannotation.Request, "again")
	f.reconcile()
	if all := f.records(); len(all) != 2 {
		t.Errorf("there are %d records", len(all))
	}
}

// TestAnnotationAfterACrash: the record was made, and nothing after that. It is answered, and not made again.
func TestAnnotationAfterACrash(t *testing.T) {
	f := newHarness(t)
	f.annotate(rebootannotation.Request, "please")
	crash := errors.New("the process ends here")
	f.Client = f.env.Intercept(t, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return crash
		},
	})
	if err := f.tryReconcile(); !errors.Is(err, crash) {
		t.Fatalf("error is %v", err)
	}
	f.Client = f.env.Client
	f.reconcile()
	if got := f.machine.Annotations[rebootannotation.Request]; got != string(f.record().UID)+"/1" {
		t.Errorf("the Machine shows %q", got)
	}
}

// TestTwoAtOnce: two managers take the same annotation in. One of them makes the record; the other finds its name taken.
func TestTwoAtOnce(t *testing.T) {
	f := newHarness(t)
	f.annotate(rebootannotation.Request, "please")
	other := &Reconciler{Kind: f.Kind, Client: f.env.Client, Live: f.env.Client, Recorder: f.events, Clock: f.Clock}
	between := false
	f.Client = f.env.Intercept(t, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, obj client.Object, opts ...client.CreateOption) error {
			if !between {
				between = true
				if _, err := other.Reconcile(ctx, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(f.machine)}); err != nil {
					t.Error(err)
				}
			}
			return c.Create(ctx, obj, opts...)
		},
	})
	f.reconcile()
	f.record()
}

// TestTemplate: the template of the owner has the annotation, so it says nothing about this machine. That is said once.
func TestTemplate(t *testing.T) {
	f := newHarness(t)
	set := build.MachineSet(f.ns, "set", build.InCluster("c"))
	set.Spec.Template.Annotations = map[string]string{rebootannotation.Request: ""}
	build.Create(t.Context(), t, f.env.Client, set)
	f.machine.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: "set", UID: set.UID, Controller: new(true)}}
	f.must(f.env.Client.Update(t.Context(), f.machine))
	f.annotate(rebootannotation.Request, "please")
	f.reconcile()
	f.reconcile()
	if n := len(f.records()); n > 0 {
		t.Errorf("there are %d records", n)
	}
	if n := len(f.events.Events); n != 1 {
		t.Fatalf("there are %d events", n)
	}
	if event := <-f.events.Events; !strings.Contains(event, EventRefused) {
		t.Errorf("event is %q", event)
	}
}

// TestRequestOfCheck: a request of Cluster API's health check becomes a record, and the request and the Machine say what becomes of it. It is done
// once.
func TestRequestOfCheck(t *testing.T) {
	f := newHarness(t, build.Verdict(metav1.ConditionFalse, build.Epoch))
	f.machine.OwnerReferences = []metav1.OwnerReference{{APIVersion: clusterv1.GroupVersion.String(), Kind: "MachineSet", Name: "set", UID: "set", Controller: new(true)}}
	f.must(f.env.Client.Update(t.Context(), f.machine))
	request := f.ask("m", f.ofCheck)
	f.reconcile()
	made := f.record()
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: "m", UID: request.UID}
	if diff := cmp.Diff(&by, made.Spec.RequestedBy); diff != "" {
		t.Errorf("asked by (-want +got):\n%s", diff)
	}
	if n := len(made.Spec.Steps); n != 2 {
		t.Errorf("steps are %+v", made.Spec.Steps)
	}
	meta.SetStatusCondition(&made.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonActing, Message: "Step reboot"})
	f.must(f.env.Client.Status().Update(t.Context(), made))
	f.reconcile()
	if got := f.told(request); got != "Unknown Acting: Step reboot" || request.Status.RecordRef.UID != made.UID {
		t.Errorf("it is told %q by %+v", got, request.Status.RecordRef)
	}
	f.wantProgress(metav1.ConditionFalse, v1alpha1.ReasonActing)
	f.ends(made, metav1.ConditionFalse, v1alpha1.ReasonNotDone)
	f.reconcile()
	f.reconcile()
	if got := f.told(request); got != "False NotDone: It is over" {
		t.Errorf("it is told %q", got)
	}
	f.wantProgress(metav1.ConditionFalse, v1alpha1.ReasonNotDone)
	f.record()
}

func (f *harness) wantProgress(status metav1.ConditionStatus, reason string) {
	f.t.Helper()
	c := meta.FindStatusCondition(f.machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition)
	if c == nil || c.Status != status || c.Reason != reason {
		f.t.Errorf("the Machine says %+v", c)
	}
}

// TestRequestByHand becomes a record with the request's settings. The deletion of the record answers it.
func TestRequestByHand(t *testing.T) {
	f := newHarness(t)
	request := f.ask("reboot-m", func(r *v1alpha1.RebootRemediation) {
		r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson, Name: "ann"}
		r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: "m"}
		r.Annotations = map[string]string{rebootannotation.AllowQuorumLoss: "true"}
	})
	f.reconcile()
	made := f.record()
	if made.Spec.RequestedBy.Kind != v1alpha1.AskedByRequest || made.Annotations[rebootannotation.AllowQuorumLoss] != "true" || len(made.Spec.Steps) != 1 {
		t.Errorf("it is %+v, annotations %v", made.Spec, made.Annotations)
	}
	made.Finalizers = nil
	f.must(f.env.Client.Update(t.Context(), made))
	f.must(f.env.Client.Delete(t.Context(), made))
	f.reconcile()
	f.reconcile()
	if got := f.told(request); got != "False Withdrawn: MachineRemediation "+made.Name+", which carried this out, was deleted" {
		t.Errorf("it is told %q", got)
	}
	if n := len(f.records()); n > 0 {
		t.Errorf("there are %d records", n)
	}
	if meta.FindStatusCondition(f.machine.Status.Conditions, clusterv1.MachineExternallyRemediatedCondition) != nil {
		t.Error("the Machine shows what no health check has asked for")
	}
}

// TestNotConcerned: nothing is read past the cache about a Machine for which nobody asks, of another manager, or of a record's own cycle.
func TestNotConcerned(t *testing.T) {
	for name, happens := range map[string]func(f *harness){
		"nothing":           func(*harness) {},
		"another manager's": func(f *harness) { f.WatchFilter = "us"; f.annotate(rebootannotation.Request, "please") },
		"a record's cycle": func(f *harness) {
			f.ask("m-1-1-1", func(r *v1alpha1.RebootRemediation) {
				r.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: "r", OperationID: "r/1"}
				r.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: "m"}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			happens(f)
			f.Live = f.env.Intercept(t, interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
				return apierrors.NewBadRequest("nothing is to be listed")
			}})
			f.reconcile()
			if n := len(f.records()); n > 0 {
				t.Errorf("there are %d records", n)
			}
		})
	}
}

// TestWatchFilter: the record belongs to the manager that makes it.
func TestWatchFilter(t *testing.T) {
	f := newHarness(t)
	cluster := &clusterv1.Cluster{}
	f.must(f.env.Client.Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: "c"}, cluster))
	cluster.Labels = map[string]string{clusterv1.WatchLabel: "us"}
	f.must(f.env.Client.Update(t.Context(), cluster))
	f.WatchFilter = "us"
	f.annotate(rebootannotation.Request, "please")
	f.reconcile()
	if got := f.record().Labels[clusterv1.WatchLabel]; got != "us" {
		t.Errorf("its label is %q", got)
	}
}

// TestMachineWithoutClusterLabel: without Cluster API's webhooks, the label with the name of the Cluster is missing. The Machine belongs to that
// Cluster all the same.
func TestMachineWithoutClusterLabel(t *testing.T) {
	f := newHarness(t)
	f.machine.Labels = nil
	f.must(f.env.Client.Update(t.Context(), f.machine))
	f.WatchFilter = "us"
	f.annotate(rebootannotation.Request, "please")
	f.reconcile()
	if n := len(f.records()); n > 0 {
		t.Errorf("there are %d records", n)
	}
}
