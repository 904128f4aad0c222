package adoption

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) { env.Main(m) }

// patience is far above what an event takes.
const patience = 30 * time.Second

// stage has the controller running in a manager, in a namespace with a Cluster.
type stage struct {
	*WithT
	t        *testing.T
	env      *env.Env
	ns       string
	cluster  *clusterv1.Cluster
	recorder *events.FakeRecorder
}

func newStage(t *testing.T, policy mhcspec.Policy) *stage {
	t.Helper()
	e := env.Get(t)
	s := &stage{WithT: NewWithT(t), t: t, env: e, ns: e.Namespace(t), recorder: events.NewFakeRecorder(100)}
	s.SetDefaultEventuallyTimeout(patience)
	s.cluster = build.Cluster(s.ns, "blue")
	s.Expect(e.Client.Create(t.Context(), s.cluster)).To(Succeed())
	e.Manager(t, env.ManagerOptions{
		Namespaces: []string{s.ns},
		Configure:  func(o *ctrl.Options) { o.Cache.DefaultTransform = ownwrites.KeepOurManagedFields },
		Setup: func(mgr ctrl.Manager) error {
			if err := mhcspec.AddIndexes(t.Context(), mgr.GetFieldIndexer()); err != nil {
				return err
			}
			return (&Reconciler{Policy: policy, Recorder: s.recorder, Concurrency: 2}).AddToManager(t.Context(), mgr)
		},
	})
	return s
}

// label sets the label of an object; an empty value removes it.
func (s *stage) label(obj client.Object, value string) {
	s.t.Helper()
	before := obj.DeepCopyObject().(client.Object)
	labels := obj.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[Label] = value
	if value == "" {
		delete(labels, Label)
	}
	obj.SetLabels(labels)
	s.Expect(s.env.Client.Patch(s.t.Context(), obj, client.MergeFrom(before))).To(Succeed())
}

func (s *stage) check(name string) {
	s.t.Helper()
	s.Expect(s.env.Client.Create(s.t.Context(), build.MachineHealthCheck(s.ns, name, build.InCluster("blue")))).To(Succeed())
}

// apply applies a MachineHealthCheck as a program that keeps it in Git does: fields of its own, by force.
func (s *stage) apply(name, manager string, annotations map[string]any) {
	s.t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{"namespace": s.ns, "name": name}}}
	if annotations != nil {
		obj.Object["metadata"].(map[string]any)["annotations"] = annotations
	}
	if manager != FieldOwner {
		obj.Object["spec"] = map[string]any{"clusterName": "blue", "selector": map[string]any{"matchLabels": map[string]any{"pool": "a"}}}
	}
	obj.SetGroupVersionKind(clusterv1.GroupVersion.WithKind("MachineHealthCheck"))
	s.Expect(s.env.Client.Apply(s.t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner(manager), client.ForceOwnership)).To(Succeed())
}

// value returns the annotation of a MachineHealthCheck; "-" without it.
func (s *stage) value(name string) func() string {
	return func() string {
		var mhc clusterv1.MachineHealthCheck
		s.Expect(s.env.Client.Get(s.t.Context(), client.ObjectKey{Namespace: s.ns, Name: name}, &mhc)).To(Succeed())
		if value, ok := mhc.Annotations[clusterv1.PausedAnnotation]; ok {
			return value
		}
		return "-"
	}
}

// TestClusterHandsOver: the label hands over what is there and what comes later, and what it has handed over comes back when it goes. What
// people have set stays.
func TestClusterHandsOver(t *testing.T) {
	t.Parallel()
	s := newStage(t, mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver})
	s.check("early")
	s.label(s.cluster, "true")
	s.Eventually(s.value("early")).Should(Equal("sickbay"))
	s.check("late")
	s.Eventually(s.value("late")).Should(Equal("sickbay"))

	s.apply("early", "people", map[string]any{clusterv1.PausedAnnotation: "maintenance"})
	s.label(s.cluster, "")
	s.Eventually(s.value("late")).Should(Equal("-"))
	s.Expect(s.value("early")()).To(Equal("maintenance"))
	s.Eventually(s.recorder.Events).Should(Receive(ContainSubstring(EventAdopted)))
}

// TestNamespaceHandsOver: its label counts for each Cluster in it that has none of its own.
func TestNamespaceHandsOver(t *testing.T) {
	t.Parallel()
	s := newStage(t, mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver})
	s.check("a")
	namespace := scaffold.MetadataOf(namespaceKind)
	s.Expect(s.env.Client.Get(t.Context(), client.ObjectKey{Name: s.ns}, namespace)).To(Succeed())
	s.label(namespace, "true")
	s.Eventually(s.value("a")).Should(Equal("sickbay"))
	s.label(s.cluster, "false")
	s.Eventually(s.value("a")).Should(Equal("-"))
}

// TestNoFightWithOthers: a program that applies the MachineHealthCheck again and again, with the annotation or without it, and one that owns
// all its other fields, find nothing that Sickbay changes back.
func TestNoFightWithOthers(t *testing.T) {
	t.Parallel()
	s := newStage(t, mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver})
	s.label(s.cluster, "true")
	s.apply("a", "git", nil)
	s.Eventually(s.value("a")).Should(Equal("sickbay"))
	var mhc clusterv1.MachineHealthCheck
	read := func() string {
		s.Expect(s.env.Client.Get(t.Context(), client.ObjectKey{Namespace: s.ns, Name: "a"}, &mhc)).To(Succeed())
		return mhc.ResourceVersion
	}
	settled := read()
	for range 100 {
		s.apply("a", "git", nil)
	}
	s.Expect(read()).To(Equal(settled), "nobody has changed anything")

	for range 2 {
		s.apply("a", "git", map[string]any{})
		s.Eventually(s.value("a")).Should(Equal("sickbay"), "an empty map is no word about the annotation")
	}

	s.apply("a", "git", map[string]any{clusterv1.PausedAnnotation: "sickbay"})
	s.label(s.cluster, "")
	s.Eventually(func() []string { read(); return owners(&mhc) }).ShouldNot(ContainElement(FieldOwner))
	s.Expect(s.value("a")()).To(Equal("sickbay"), "Git has it, too")
}

// TestDrainGivesBack: what the label has set goes, and the label stays.
func TestDrainGivesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, Drain: true})
	s.label(s.cluster, "true")
	s.check("a")
	s.apply("a", FieldOwner, map[string]any{clusterv1.PausedAnnotation: "sickbay"})
	s.Eventually(s.value("a")).Should(Equal("-"))
}

// TestLostFilterGivesBack: a MachineHealthCheck that loses the label of its manager has none any more, so Cluster API's own controller gets it.
func TestLostFilterGivesBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, mhcspec.Policy{Adopt: mhcspec.AdoptHandedOver, WatchFilter: "team"})
	s.label(s.cluster, "true")
	mhc := build.MachineHealthCheck(s.ns, "a", build.InCluster("blue"), build.Label(clusterv1.WatchLabel, "team"))
	s.Expect(s.env.Client.Create(t.Context(), mhc)).To(Succeed())
	s.check("never")
	s.Eventually(s.value("a")).Should(Equal("sickbay"))
	unlabel := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"`+clusterv1.WatchLabel+`":null}}}`))
	s.Expect(s.env.Client.Patch(t.Context(), mhc, unlabel)).To(Succeed())
	s.Eventually(s.value("a")).Should(Equal("-"))
	s.Expect(s.value("never")()).To(Equal("-"))
}

// TestManagersThatOverlap: one manager reads the labels of namespaces and another does not, because it is for one namespace. They agree.
func TestManagersThatOverlap(t *testing.T) {
	t.Parallel()
	s := &stage{WithT: NewWithT(t), t: t, env: env.Get(t), recorder: events.NewFakeRecorder(100)}
	s.ns = s.env.Namespace(t)
	s.cluster = build.Cluster(s.ns, "blue")
	s.Expect(s.env.Client.Create(t.Context(), s.cluster)).To(Succeed())
	s.check("a")
	now := clocktesting.NewFakePassiveClock(build.Epoch)
	all := &Reconciler{Client: s.env.Client, Clock: now, Recorder: s.recorder, readsNamespaces: true}
	one := &Reconciler{Client: s.env.Client, Clock: now, Recorder: s.recorder, Namespace: s.ns}
	becomes := func(want string, by ...*Reconciler) {
		t.Helper()
		for _, r := range by {
			now.SetTime(now.Now().Add(time.Minute))
			_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: s.ns, Name: "a"}})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.Expect(s.value("a")()).To(Equal(want))
	}
	namespace := scaffold.MetadataOf(namespaceKind)
	s.Expect(s.env.Client.Get(t.Context(), client.ObjectKey{Name: s.ns}, namespace)).To(Succeed())

	s.label(namespace, "true")
	becomes("sickbay", all, one)
	s.label(s.cluster, "false")
	becomes("-", one, all)
	s.label(s.cluster, "true")
	becomes("sickbay", one, all)
	s.label(namespace, "")
	becomes("sickbay", all, one)
	s.label(s.cluster, "")
	becomes("-", one, all)
	s.label(namespace, "true")
	becomes("sickbay", all, one)
	s.label(namespace, "")
	becomes("sickbay", one)
	becomes("-", all)
	s.label(namespace, "true")
	becomes("sickbay", all)
	one.Policy.Drain = true
	becomes("-", one)
}

// TestNoRaceWithOneWhoReplaces: a program that replaces all annotations whenever it sees another one takes ours away each time. Sickbay sets it
// again, but not as fast as the API server allows.
func TestNoRaceWithOneWhoReplaces(t *testing.T) {
	t.Parallel()
	e, now := env.Get(t), clocktesting.NewFakePassiveClock(build.Epoch)
	cluster := build.Cluster(e.Namespace(t), "blue", build.Label(Label, "true"))
	mhc := build.MachineHealthCheck(cluster.Namespace, "a", build.InCluster("blue"))
	build.Create(t.Context(), t, e.Client, cluster, mhc)
	r := &Reconciler{Client: e.Client, Clock: now, Recorder: events.NewFakeRecorder(100)}
	set := 0
	for range 60 {
		if _, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(mhc)}); err != nil {
			t.Fatal(err)
		}
		if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(mhc), mhc); err != nil {
			t.Fatal(err)
		}
		if mhcspec.HandedOver(mhc) {
			set++
			mhc.Annotations = nil
			if err := e.Client.Update(t.Context(), mhc); err != nil {
				t.Fatal(err)
			}
		}
		now.SetTime(now.Now().Add(time.Second))
	}
	if want := int(time.Minute / betweenHandOvers); set != want {
		t.Errorf("set %d times in a minute, want %d", set, want)
	}
}

func owners(obj client.Object) (names []string) {
	for _, entry := range obj.GetManagedFields() {
		names = append(names, entry.Manager)
	}
	return names
}

// TestLabelGoesDuringUpgrade: the pause becomes the upgrade's, as of any other MachineHealthCheck of Cluster API's own controller, whose clocks have run
// meanwhile: package upgradepause keeps it until the Nodes are back.
func TestLabelGoesDuringUpgrade(t *testing.T) {
	t.Parallel()
	s := &stage{WithT: NewWithT(t), t: t, env: env.Get(t), recorder: events.NewFakeRecorder(100)}
	s.ns = s.env.Namespace(t)
	s.cluster = build.Cluster(s.ns, "blue", build.Label(Label, "true"))
	s.Expect(s.env.Client.Create(t.Context(), s.cluster)).To(Succeed())
	s.check("a")
	r := &Reconciler{Client: s.env.Client, Clock: clocktesting.NewFakePassiveClock(build.Epoch), Recorder: s.recorder}
	annotate := func(annotations string) {
		mhc := build.MachineHealthCheck(s.ns, "a")
		s.Expect(s.env.Client.Patch(t.Context(), mhc, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":`+annotations+`}}`)), client.FieldOwner("sickbay-upgradepause"))).To(Succeed())
	}
	becomes := func(want string) {
		t.Helper()
		for range 3 {
			_, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: s.ns, Name: "a"}})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.Expect(s.value("a")()).To(Equal(want))
	}
	becomes("sickbay")
	annotate(`{"` + mhcspec.UpgradeMarker + `":""}`)
	becomes("sickbay")
	s.label(s.cluster, "")
	becomes(mhcspec.UpgradeValue)
	annotate(`{"` + mhcspec.UpgradeMarker + `":null,"` + clusterv1.PausedAnnotation + `":null}`)
	becomes("-")
	s.Expect(s.recorder.Events).To(HaveLen(2))
}
