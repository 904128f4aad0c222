package reboot

import (
	"context"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// apiNode makes a Node on the API server and returns it as it was read; change changes the Node afterwards.
func apiNode(t *testing.T, e *env.Env, change func(*corev1.Node)) (read *corev1.Node) {
	t.Helper()
	node := build.Node("n-" + e.Namespace(t))
	build.Create(t.Context(), t, e.Client, node)
	read = node.DeepCopy()
	if change != nil {
		change(node)
		objects.Update(t, e.Client, node)
	}
	return read
}

func reread[T client.Object](t *testing.T, e *env.Env, obj T) T {
	t.Helper()
	objects.Read(t, e.Client, obj)
	return obj
}

func teamChanges(n *corev1.Node) { metav1.SetMetaDataLabel(&n.ObjectMeta, "team", "newer") }

// TestUpstreamDefect_ConflictLosesLabels: if a write was refused because somebody else had changed the Node, upstream only logged
// that, and threw the backup away. Here it is an error, the backup stays, and the next look uses the new Node.
func TestUpstreamDefect_ConflictLosesLabels(t *testing.T) {
	e := env.Get(t)
	backup := &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "old", "rack": "7"}}
	node := apiNode(t, e, teamChanges)
	if err := (nodeWriter{e.Client}).restore(t.Context(), node, backup); !apierrors.IsConflict(err) {
		t.Fatalf("a Node that has changed since: %v", err)
	}
	f := in(v1alpha1.Restoring)
	f.Status.Node.Backup, f.Node.Node = backup, reread(t, e, node)
	if d := cycle.Decide(f, noon.Time); d.Action != cycle.RestoreNode || d.Status.Node.Backup == nil {
		t.Fatalf("%s, with the backup %+v", d.Action, d.Status.Node.Backup)
	}
	if err := (nodeWriter{e.Client}).restore(t.Context(), f.Node.Node, backup); err != nil {
		t.Fatal(err)
	}
	if got := reread(t, e, node).Labels; got["team"] != "newer" || got["rack"] != "7" {
		t.Errorf("the labels are %v", got)
	}
}

// TestUpstreamDefect_WholeNodeIsWritten: upstream wrote the whole Node as it had been read, and so reverted what others had changed
// meanwhile.
func TestUpstreamDefect_WholeNodeIsWritten(t *testing.T) {
	e := env.Get(t)
	for name, write := range map[string]func(*corev1.Node) error{
		"taint":   func(n *corev1.Node) error { return nodeWriter{e.Client}.taint(t.Context(), n) },
		"untaint": func(n *corev1.Node) error { return nodeWriter{e.Client}.untaint(t.Context(), n) },
	} {
		node := apiNode(t, e, teamChanges)
		if err := write(node); !apierrors.IsConflict(err) {
			t.Errorf("%s of a Node that has changed since: %v", name, err)
		}
		// Stale parts of our copy are not written, even if the resource version is current.
		node.ResourceVersion = reread(t, e, node.DeepCopy()).ResourceVersion
		if err := write(node); err != nil {
			t.Fatal(err)
		}
		if got := reread(t, e, node); got.Labels["team"] != "newer" || cycle.Tainted(got) != (name == "taint") {
			t.Errorf("after %s the Node is %v, %v", name, got.Labels, got.Spec.Taints)
		}
	}
}

// TestUpstreamDefect_DeletedByName: upstream deleted a Node by its name, whichever Node that was by then.
func TestUpstreamDefect_DeletedByName(t *testing.T) {
	e := env.Get(t)
	changed := apiNode(t, e, teamChanges)
	if err := (nodeWriter{e.Client}).delete(t.Context(), changed); !apierrors.IsConflict(err) {
		t.Errorf("a Node that has got something since: %v", err)
	}
	old := apiNode(t, e, nil)
	objects.Delete(t, e.Client, old.DeepCopy())
	build.Create(t.Context(), t, e.Client, build.Node(old.Name))
	if err := (nodeWriter{e.Client}).delete(t.Context(), old); !apierrors.IsConflict(err) {
		t.Errorf("another Node of the name: %v", err)
	}
	for _, node := range []*corev1.Node{changed, old} {
		if reread(t, e, node).DeletionTimestamp != nil {
			t.Errorf("Node %s is deleted", node.Name)
		}
	}
}

// TestUpstreamDefect_HostIsMarkedForGood: upstream marked a host as unhealthy, and never removed the mark. Here the host ends up
// with the annotations it had before, and its spec is unchanged.
func TestUpstreamDefect_HostIsMarkedForGood(t *testing.T) {
	e := env.Get(t)
	theirs := map[string]string{"note": "mine", metal3v1.RebootAnnotationPrefix + "/other": "{}"}
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "h", Annotations: maps.Clone(theirs)}}
	build.Create(t.Context(), t, e.Client, host)
	before := host.Spec
	w := writer{Client: e.Client}
	if err := w.setKey(t.Context(), host, "r-1", noon.Time); err != nil {
		t.Fatal(err)
	}
	if got := reread(t, e, host).Annotations; len(got) != len(theirs)+2 {
		t.Errorf("while it is held: %v", got)
	}
	if err := w.removeKey(t.Context(), host, "r-1"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(theirs, reread(t, e, host).Annotations) + cmp.Diff(before, host.Spec); diff != "" {
		t.Errorf("afterwards (-want +got):\n%s", diff)
	}
}

// TestMarksOfHosts: we set the marks that Cluster API's provider for Metal3 reads, in all its versions. We remove only ours.
func TestMarksOfHosts(t *testing.T) {
	const older, newer = "capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"
	e := env.Get(t)
	host := &metal3v1.BareMetalHost{}
	host.Namespace, host.Name = e.Namespace(t), "h"
	build.Create(t.Context(), t, e.Client, host)
	w := writer{Client: e.Client}
	expect := func(want map[string]string, marked, byUs bool) {
		t.Helper()
		if diff := cmp.Diff(want, reread(t, e, host).Annotations); diff != "" {
			t.Errorf("annotations (-want +got):\n%s", diff)
		}
		if got := cycle.HostFactsOf(host, "r-1", cycle.Consumer{}); got.Unhealthy != marked || got.UnhealthyByUs != byUs {
			t.Errorf("it is marked: %t, by us: %t", got.Unhealthy, got.UnhealthyByUs)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	expect(nil, false, false)
	must(w.markHost(t.Context(), host))
	expect(map[string]string{older: cycle.UnhealthyByUs, newer: cycle.UnhealthyByUs}, true, true)
	host.Annotations[newer] = "a person says so"
	must(e.Client.Update(t.Context(), host))
	expect(map[string]string{older: cycle.UnhealthyByUs, newer: "a person says so"}, true, true)
	must(w.unmarkHost(t.Context(), host))
	expect(map[string]string{newer: "a person says so"}, true, false)
}

// oldCluster is a workload cluster that is older than the taint.
type oldCluster struct{}

func (oldCluster) GetLive(context.Context, client.ObjectKey, string) (*corev1.Node, error) {
	return nodeOf("node-1", "boot-1"), nil
}

func (oldCluster) Version(context.Context, client.ObjectKey) (*version.Info, error) {
	return &version.Info{Major: "1", Minor: "27+"}, nil
}

// TestUpstreamDefect_VersionOfAnotherCluster: upstream asked the management cluster whether the taint is
// honoured.
func TestUpstreamDefect_VersionOfAnotherCluster(t *testing.T) {
	r := reader{nodes: oldCluster{}}
	request := &v1alpha1.RebootRemediation{Status: in(v1alpha1.Fenced).Status}
	request.Spec.Isolation = v1alpha1.OutOfServiceTaint
	f := in(v1alpha1.Fenced, taints)
	f.Node, _ = r.node(t.Context(), request, &machine{cluster: client.ObjectKey{Name: "c"}})
	if d := cycle.Decide(f, noon.Time); f.Node.Node == nil || reasonOf(d.Status, v1alpha1.ConditionNodeIsolated) != v1alpha1.ReasonTaintUnsupported {
		t.Errorf("%s, %+v", d.Action, d.Status.Conditions)
	}
}
