package reboot

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

var (
	personAsks = map[string]string{rebootannotation.Request: ""}
	showsSign  = map[string]string{rebootannotation.Request: sign}

	somebody = v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByAnnotation}
)

// triggered makes a Machine with annotations, and if there was one before, a RebootRemediation that was made for earlier ones.
func triggered(t *testing.T, e *env.Env, annotations map[string]string, before bool, f cycle.Facts) (*clusterv1.Machine, *v1alpha1.RebootRemediation) {
	t.Helper()
	m := build.Machine(e.Namespace(t), "m")
	m.Annotations = annotations
	build.Create(t.Context(), t, e.Client, m)
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: RequestName(m, askedPurpose), Annotations: map[string]string{ByAnnotation: ""}}}
	if !before {
		return m, request
	}
	request.Spec.RequestedBy = &somebody
	if f.Finalizer {
		request.Finalizers = []string{cycle.Finalizer}
	}
	build.Create(t.Context(), t, e.Client, request)
	request.Status = f.Status
	request.Status.MachineUID = m.UID
	if err := e.Client.Status().Update(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	return m, request
}

func trigger(t *testing.T, c client.Client, live client.Reader, m *clusterv1.Machine) error {
	t.Helper()
	_, err := (&AnnotationReconciler{Kind: ClusterAPIKind, Client: c, Live: live}).Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(m)})
	return err
}

// TestAnnotationReconciler: an annotation makes exactly one cycle. The cycle removes it at its end, so one that is there after that is new.
func TestAnnotationReconciler(t *testing.T) {
	ended := in(v1alpha1.Failed, noFinalizer, untouched)
	owing := in(v1alpha1.Failed, noFinalizer, outOfServiceSince)
	for name, tt := range map[string]struct {
		annotations map[string]string
		before      bool
		facts       cycle.Facts
		// another says that the RebootRemediation is a new one, and anew that the old one begins again.
		another, anew bool
	}{
		"at first":         {personAsks, false, cycle.Facts{}, true, false},
		"with any value":   {map[string]string{rebootannotation.Request: "u-1/1"}, false, cycle.Facts{}, true, false},
		"for a step":       {map[string]string{rebootannotation.Request + "/PowerOff": ""}, false, cycle.Facts{}, true, false},
		"at work":          {personAsks, true, in(v1alpha1.PoweringOff), false, false},
		"not cleaned up":   {personAsks, true, in(v1alpha1.Failed), false, false},
		"once more":        {personAsks, true, ended, true, false},
		"once more, owing": {personAsks, true, owing, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := env.Get(t)
			m, request := triggered(t, e, tt.annotations, tt.before, tt.facts)
			uid := request.UID
			if err := trigger(t, e.Client, e.Client, m); err != nil {
				t.Fatal(err)
			}
			request = reread(t, e, request)
			if diff := cmp.Diff(&somebody, request.Spec.RequestedBy); diff != "" {
				t.Errorf("requested by (-want +got):\n%s", diff)
			}
			if anew := tt.before && request.UID == uid && request.Status.Phase != tt.facts.Status.Phase; anew != tt.anew || (request.UID != uid) != tt.another {
				t.Errorf("it is another one: %t, begins anew: %t", request.UID != uid, anew)
			}
			if tt.anew && !request.Status.Node.OutOfService {
				t.Error("what is owed is lost")
			}
			if diff := cmp.Diff(tt.annotations, reread(t, e, m).Annotations); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnnotationReconcilerByAnOldCache: the cycle has ended and its annotation is gone, or there is a new one, and the cache does not show
// that yet. The host is cycled for what the Machine asks for now, or not at all, and no record of a cycle is lost.
func TestAnnotationReconcilerByAnOldCache(t *testing.T) {
	for name, tt := range map[string]struct {
		now  map[string]string
		want bool
	}{
		"done":                             {nil, false},
		"done, and a person asks since":    {map[string]string{rebootannotation.Request: "again"}, true},
		"done, and a record shows a cycle": {showsSign, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := env.Get(t)
			m, request := triggered(t, e, personAsks, true, in(v1alpha1.Succeeded, noFinalizer))
			old := scaffold.MetadataOf(ClusterAPIKind)
			if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(m), old); err != nil {
				t.Fatal(err)
			}
			m = reread(t, e, m)
			m.Annotations = tt.now
			if err := e.Client.Update(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			if err := trigger(t, lagging(t, e, old), e.Client, m); err != nil {
				t.Fatal(err)
			}
			if uid := request.UID; (reread(t, e, request).UID != uid) != tt.want {
				t.Errorf("there is another RebootRemediation: %t", !tt.want)
			}
			if diff := cmp.Diff(tt.now, reread(t, e, m).Annotations, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("annotations (-want +got):\n%s", diff)
			}
		})
	}
}

// lagging returns a client whose cache still has an old state of a Machine.
func lagging(t *testing.T, e *env.Env, old *metav1.PartialObjectMetadata) client.Client {
	t.Helper()
	return e.Intercept(t, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			if got, ok := obj.(*metav1.PartialObjectMetadata); ok {
				old.DeepCopyInto(got)
				return nil
			}
			return c.Get(ctx, key, obj, opts...)
		},
	})
}

// TestAnnotationReconcilerWaitsForAHealthCheck: annotations wait while a health check's cycle runs, unless it failed or waits for a pause. What a
// person asks for does not wait for a pause, nor until somebody deletes an ended cycle; that cycle removes the annotation if it was set
// in time.
func TestAnnotationReconcilerWaitsForAHealthCheck(t *testing.T) {
	since := &metav1.Time{Time: noon.Time}
	for _, tt := range []struct {
		phase    v1alpha1.Phase
		cleaning bool
		paused   *metav1.Time
		waits    bool
	}{
		{phase: "", waits: true},
		{phase: v1alpha1.Pending, waits: true},
		{phase: v1alpha1.Pending, paused: since},
		{phase: v1alpha1.PoweringOff, waits: true},
		{phase: v1alpha1.Restoring, waits: true},
		{phase: v1alpha1.Restoring, paused: since},
		{phase: v1alpha1.WaitingForMachine, paused: since},
		{phase: v1alpha1.CoolingDown, waits: true},
		{phase: v1alpha1.CoolingDown, paused: since},
		{phase: v1alpha1.Succeeded, cleaning: true, waits: true},
		{phase: v1alpha1.Succeeded},
		{phase: v1alpha1.Failed, cleaning: true},
		{phase: v1alpha1.Failed},
		{phase: v1alpha1.Aborted},
	} {
		e := env.Get(t)
		m, asked := triggered(t, e, personAsks, false, cycle.Facts{})
		first := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace, Name: m.Name}}
		first.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByHealthCheck}
		if tt.cleaning {
			first.Finalizers = []string{cycle.Finalizer}
		}
		build.Create(t.Context(), t, e.Client, first)
		first.Status.Phase, first.Status.PausedSince = tt.phase, tt.paused
		if err := e.Client.Status().Update(t.Context(), first); err != nil {
			t.Fatal(err)
		}
		if err := trigger(t, e.Client, e.Client, m); err != nil {
			t.Fatal(err)
		}
		err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(asked), asked)
		if apierrors.IsNotFound(err) != tt.waits {
			t.Errorf("in phase %q, under a pause since %v, with things to clean %t: it waits: %t", tt.phase, tt.paused, tt.cleaning, !tt.waits)
		}
	}
}

// TestAskedName: no health check deletes it by the name of the Machine, and the name is unique for each Machine.
func TestAskedName(t *testing.T) {
	long := strings.Repeat("a", 252) + "b"
	for _, name := range []string{"m", "m-5f2c9d1e-asked", long} {
		m := build.Machine("ns", name)
		m.UID = "u-1"
		got := RequestName(m, askedPurpose)
		m.UID = "u-2"
		if problems := validation.IsDNS1123Subdomain(got); got == name || got == RequestName(m, askedPurpose) || len(problems) > 0 {
			t.Errorf("that of machine %s is %s, %v", name, got, problems)
		}
	}
}

// TestAnnotationReconcilerBesideADeletedRecord: a deleted RebootRemediation stays for its Node. The next one begins beside it, and takes over what it
// owes. It neither overwrites the deleted one nor waits until that is given up.
func TestAnnotationReconcilerBesideADeletedRecord(t *testing.T) {
	s := newShared(t)
	m := reread(t, s.e, &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "m"}})
	m.Annotations = maps.Clone(personAsks)
	if err := s.e.Client.Update(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	names := RequestNames(m, askedPurpose)
	owing := func(name string) *v1alpha1.RebootRemediation {
		request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name, Annotations: map[string]string{ByAnnotation: ""}, Finalizers: []string{cycle.NodeFinalizer}}}
		request.Spec.Machine = &v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"}
		request.Spec.RequestedBy = &somebody
		build.Create(t.Context(), t, s.e.Client, request)
		request.Status = in(v1alpha1.Failed, outOfServiceSince).Status
		request.Status.MachineUID, request.Status.Node.Name = m.UID, "nobody"
		request.Status.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "a"}}
		if err := s.e.Client.Status().Update(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		s.delete(request)
		return request
	}
	again := func() {
		t.Helper()
		if err := trigger(t, s.e.Client, s.e.Client, m); err != nil {
			t.Fatal(err)
		}
	}
	first := owing(names[0])
	again()
	if got := reread(t, s.e, first).Status; got.Phase != v1alpha1.Failed || got.Node == nil || got.Node.Backup == nil {
		t.Errorf("the record is %s, %+v", got.Phase, got.Node)
	}
	fresh := reread(t, s.e, &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: names[1]}})
	if s.look(fresh); fresh.Status.Phase != v1alpha1.PoweringOff || fresh.Status.Node == nil || fresh.Status.Node.Backup == nil || fresh.Status.Node.Backup.Labels["team"] != "a" {
		t.Fatalf("in phase %s, it has taken over %+v: %s", fresh.Status.Phase, fresh.Status.Node, messageOf(fresh.Status))
	}
	if s.look(first); first.Status.Phase != gone {
		t.Errorf("the first is in phase %s, with %v: %s", first.Status.Phase, first.Finalizers, messageOf(first.Status))
	}
	// It is also found by that name.
	again()
	if err := s.e.Client.Get(t.Context(), client.ObjectKeyFromObject(first), first); !apierrors.IsNotFound(err) {
		t.Errorf("there is another one: %v", err)
	}
}
