package recordstore_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/sickbay*.yaml"))
}

func TestName(t *testing.T) {
	const uid = types.UID("3f0c6a44-4f6f-4b0e-9d38-6d1f5a3c2e10")
	tests := map[string]struct {
		machine string
		ordinal int
		want    string
	}{
		"short":               {"md-0-x7", 1, "md-0-x7-fbd1715c-1"},
		"the tenth":           {"md-0-x7", 10, "md-0-x7-fbd1715c-10"},
		"cut":                 {strings.Repeat("m", 253), 1, strings.Repeat("m", 52) + "-fbd1715c-1"},
		"cut at a dash":       {strings.Repeat("m", 51) + "-mm", 1, strings.Repeat("m", 51) + "-fbd1715c-1"},
		"cut at several dots": {strings.Repeat("m", 49) + "..--mm", 1, strings.Repeat("m", 49) + "-fbd1715c-1"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := recordstore.Name(tt.machine, uid, tt.ordinal); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNameProperties: every name is valid, fits into a label, and contains its ordinal; two machines never share one.
func TestNameProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		machine := rapid.StringMatching(`[a-z0-9]([-a-z0-9]{0,70}[a-z0-9])?(\.[a-z0-9]{1,20})?`).Draw(t, "machine")
		uid := types.UID(rapid.StringMatching(`[0-9a-f]{8}-[0-9a-f]{4}`).Draw(t, "uid"))
		ordinal := rapid.IntRange(1, 100_000).Draw(t, "ordinal")
		name := recordstore.Name(machine, uid, ordinal)
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 || len(name) > 63 {
			t.Fatalf("%q: %v", name, problems)
		}
		if problems := validation.IsValidLabelValue(name); len(problems) > 0 {
			t.Fatalf("%q: %v", name, problems)
		}
		r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if got := recordstore.Ordinal(r); got != ordinal {
			t.Fatalf("the ordinal of %q is %d, want %d", name, got, ordinal)
		}
		if !recordstore.IsNameFor(name, machine, uid) || recordstore.IsNameFor(name, machine, uid+"x") {
			t.Fatalf("%q is not known as the name for one machine", name)
		}
	})
}

func TestOrdinal(t *testing.T) {
	tests := map[string]struct {
		name, annotation string
		want             int
	}{
		"annotation":             {"m-12345678-1", "7", 7},
		"name":                   {"m-12345678-12", "", 12},
		"annotation is nonsense": {"m-12345678-3", "x", 3},
		"annotation is zero":     {"m-12345678-3", "0", 3},
		"neither":                {"by-hand", "", 0},
		"no dash":                {"hand", "", 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := &v1alpha1.MachineRemediation{ObjectMeta: metav1.ObjectMeta{Name: tt.name}}
			if tt.annotation != "" {
				r.Annotations = map[string]string{v1alpha1.OrdinalAnnotation: tt.annotation}
			}
			if got := recordstore.Ordinal(r); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func spec(cluster, machine string) v1alpha1.MachineRemediationSpec {
	return v1alpha1.MachineRemediationSpec{
		ClusterName:    cluster,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine, UID: types.UID("uid-" + machine)},
		HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "mhc"},
		Finding:        v1alpha1.RemediationFinding{Reason: "NodeNotFound", Since: metav1.NewTime(build.Epoch)},
		Steps:          []v1alpha1.RemediationStep{{Name: "hold", Action: v1alpha1.ActionHold}},
	}
}

func TestNew(t *testing.T) {
	cluster := build.Cluster("ns", "c", build.UID("cluster-uid"))
	r := recordstore.New(cluster, 2, spec("c", "m"))
	if _, open := r.Labels[v1alpha1.OpenLabel]; !open || r.Labels[clusterv1.ClusterNameLabel] != "c" || r.Labels[v1alpha1.MachineUIDLabel] != "uid-m" {
		t.Errorf("labels are %v", r.Labels)
	}
	if len(r.Finalizers) != 1 || r.Finalizers[0] != v1alpha1.RemediationFinalizer {
		t.Errorf("finalizers are %v", r.Finalizers)
	}
	if len(r.OwnerReferences) != 1 || r.OwnerReferences[0].UID != "cluster-uid" || metav1.GetControllerOf(r) != nil {
		t.Errorf("owners are %+v, want the Cluster, not as controller", r.OwnerReferences)
	}
	if recordstore.Ordinal(r) != 2 || r.Namespace != "ns" || r.Spec.MachineRef.Name != "m" {
		t.Errorf("got %+v", r)
	}
}

// TestLists: records are listed by machine and by cluster, from the cache and past it, in one namespace only.
func TestLists(t *testing.T) {
	e := env.Get(t)
	ns, other := e.Namespace(t), e.Namespace(t)
	create := func(ns, cluster, machine string, ordinal int, open bool) {
		t.Helper()
		r := recordstore.New(build.Cluster(ns, cluster, build.UID("x")), ordinal, spec(cluster, machine))
		if !open {
			delete(r.Labels, v1alpha1.OpenLabel)
		}
		build.Create(t.Context(), t, e.Client, r)
	}
	create(ns, "one", "a", 1, false)
	create(ns, "one", "a", 2, true)
	create(ns, "one", "b", 1, true)
	create(ns, "two", "c", 1, true)
	create(other, "one", "a", 1, true)
	cached, one := live.Client(e.Client), client.ObjectKey{Namespace: ns, Name: "one"}
	for name, tt := range map[string]struct {
		list func() ([]*v1alpha1.MachineRemediation, error)
		want int
	}{
		"of a cluster": {func() ([]*v1alpha1.MachineRemediation, error) { return recordstore.OfCluster(t.Context(), cached, one) }, 3},
		"of a machine": {func() ([]*v1alpha1.MachineRemediation, error) {
			return recordstore.OfMachine(t.Context(), cached, ns, "uid-a")
		}, 2},
		"of a machine, live": {func() ([]*v1alpha1.MachineRemediation, error) {
			return recordstore.LiveOfMachines(t.Context(), e.Client, ns, "uid-a")
		}, 2},
		"of a cluster, open": {func() ([]*v1alpha1.MachineRemediation, error) {
			return recordstore.LiveOpenOfCluster(t.Context(), e.Client, one)
		}, 2},
		"of machines, open": {func() ([]*v1alpha1.MachineRemediation, error) {
			of := []*v1alpha1.MachineRemediation{recordstore.NewIn(ns, nil, 1, spec("one", "a")), recordstore.NewIn(ns, nil, 1, spec("two", "c"))}
			return recordstore.LiveOpen(t.Context(), e.Client, of)
		}, 2},
		"of a machine, nowhere": {func() ([]*v1alpha1.MachineRemediation, error) {
			return recordstore.OfMachine(t.Context(), cached, ns, "uid-z")
		}, 0},
		"of a cluster, elsewhere": {func() ([]*v1alpha1.MachineRemediation, error) {
			return recordstore.OfCluster(t.Context(), cached, client.ObjectKey{Namespace: other, Name: "one"})
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.list()
			if err != nil || len(got) != tt.want {
				t.Errorf("got %d records, error %v; want %d", len(got), err, tt.want)
			}
		})
	}
}

// TestAwaitingOwner finds the records of plans that have an open attempt, by the controller that they have asked.
func TestAwaitingOwner(t *testing.T) {
	e := env.Get(t)
	ns := e.Namespace(t)
	create := func(machine string, change func(r *v1alpha1.MachineRemediation)) {
		t.Helper()
		r := recordstore.New(build.Cluster(ns, "c", build.UID("x")), 1, spec("c", machine))
		r.Spec.TemplateRef = &v1alpha1.PlanReference{Name: "plan", UID: "plan", Generation: 1}
		r.Status.Attempts = []v1alpha1.RemediationAttempt{
			{Number: 1, Step: "hold", EndTime: &metav1.Time{Time: build.Epoch}, ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "K", Name: "before", UID: "before"}},
			{Number: 2, Step: "hold", ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: "v1", Kind: "K", Name: "set", UID: "set"}},
		}
		change(r)
		build.Create(t.Context(), t, e.Client, r)
	}
	create("waits", func(*v1alpha1.MachineRemediation) {})
	create("deletes", func(r *v1alpha1.MachineRemediation) {
		r.Status.Attempts[1].ObjectRef = &v1alpha1.RemediationObjectReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: "MachineDeployment", Name: "md", UID: "u"}
	})
	create("over", func(r *v1alpha1.MachineRemediation) { r.Status.Attempts[1].EndTime = &metav1.Time{Time: build.Epoch} })
	create("intended", func(r *v1alpha1.MachineRemediation) { r.Status.Attempts[1].ObjectRef = nil })
	create("built-in", func(r *v1alpha1.MachineRemediation) { r.Spec.TemplateRef = nil })
	create("new", func(r *v1alpha1.MachineRemediation) { r.Status.Attempts = nil })
	for owner, want := range map[recordstore.Maker]int{"set": 1, "before": 0, "other": 0, "MachineDeployment md": 1} {
		got, err := recordstore.AwaitingOwner(t.Context(), live.Client(e.Client), ns, owner)
		if err != nil || len(got) != want {
			t.Errorf("%s: %d records, error %v; want %d", owner, len(got), err, want)
		}
	}
}
