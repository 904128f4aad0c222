package upgradepause

import (
	"context"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// TestReadingOfClusterVersion follows an upgrade through the operator's reports.
func TestReadingOfClusterVersion(t *testing.T) {
	f := newHarness(t, OpenShiftKind)
	installed := &Installed{}
	f.Signals = []Signal{clusterVersion{sources{cached: f.env.Client, open: opened}, installed}}
	check := f.check("mhc", nil)
	step := func(what, want string, events ...string) {
		t.Helper()
		t.Log(what)
		f.reconcile(check)
		got := "free"
		if pause.Ours(read(t, f.env.Client, f.Kind, client.ObjectKeyFromObject(check)).Annotations) {
			got = "paused"
		}
		if got != want {
			t.Errorf("it is %s, want %s", got, want)
		}
		f.wantEvents(events...)
	}
	step("the kind is not installed", "free")
	if err := installed.Set(); err != nil {
		t.Fatal(err)
	}
	step("the kind is installed, but this is not OpenShift", "free")
	cv := newOpenshift(t, f.env)
	old := cv.version.Status.History
	step("it does not upgrade", "free")
	cv.write(t, configv1.ConditionTrue, old...)
	step("settings are rolled out", "free")
	cv.begin(t, "4.17.3", noon)
	step("it upgrades", "paused", "Normal PausedForUpgrade Paused: OpenShift upgrades to 4.17.3")
	cv.write(t, configv1.ConditionUnknown, cv.version.Status.History...)
	step("it does not know", "paused", unreadableEvent)
	cv.write(t, configv1.ConditionTrue, cv.version.Status.History...)
	step("it knows again", "paused", readableEvent)
	if err := f.env.Client.Delete(t.Context(), cv.version); err != nil {
		t.Fatal(err)
	}
	step("somebody has deleted it", "paused", unreadableEvent)
	f.reconcile(f.check("new", nil))
	step("one that was never paused does not mind", "paused")
	newOpenshift(t, f.env)
	step("it is back", "free", readableEvent, resumedEvent)
}

// TestReadingOfClusters: what the signal of a Cluster reports.
func TestReadingOfClusters(t *testing.T) {
	t.Parallel()
	f := newHarness(t, ClusterAPIKind)
	signal := clusterAPI{sources{cached: unindexed{f.env.Client}, mapper: f.env.Client.RESTMapper(), open: opened}}
	wants := build.Annotation(pause.OptionAnnotation, wantsThem)
	plane := func(change func(*clusterv1.ContractVersionedObjectReference)) build.ClusterFunc {
		return func(c *clusterv1.Cluster) { change(&c.Spec.ControlPlaneRef) }
	}
	newFleet(t, f.env, f.ns, "steady", v33, wants)
	newFleet(t, f.env, f.ns, "upgrades", v33, wants).planeWants(t, v34)
	newFleet(t, f.env, f.ns, "older-image", v34, wants).kubeletsHave(t, v33)
	newFleet(t, f.env, f.ns, "last-is-going", v34, wants).workersHave(t, v34, v33)
	newFleet(t, f.env, f.ns, "silent", v33).planeWants(t, v34)
	newFleet(t, f.env, f.ns, "nonsense", v33, build.Annotation(pause.OptionAnnotation, "yes"))
	both := newFleet(t, f.env, f.ns, "apart", v33, wants)
	both.planeWants(t, v34)
	both.workersWant(t, "v1.33.2")
	newFleet(t, f.env, f.ns, "no-plane", v33, wants, plane(func(r *clusterv1.ContractVersionedObjectReference) { *r = clusterv1.ContractVersionedObjectReference{} })).workersWant(t, v34)
	newFleet(t, f.env, f.ns, "lost-plane", v33, wants, plane(func(r *clusterv1.ContractVersionedObjectReference) { r.Name = "lost" }))
	newFleet(t, f.env, f.ns, "strange-plane", v33, wants, plane(func(r *clusterv1.ContractVersionedObjectReference) { r.Kind = "StrangeControlPlane" }))

	for cluster, want := range map[string]string{
		"steady":        "",
		"upgrades":      toV34,
		"older-image":   "",
		"last-is-going": toV34,
		"silent":        "off",
		"nonsense":      `error: annotation sickbay.dev/pause-on-upgrade of Cluster nonsense is "yes"`,
		"apart":         "cluster/v1.33.2," + toV34,
		"no-plane":      toV34,
		"lost-plane":    "error: getting KubeadmControlPlane lost",
		"strange-plane": "error: looking for kind StrangeControlPlane",
		"gone":          "off",
		"":              "nothing",
	} {
		check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Labels: map[string]string{clusterv1.ClusterNameLabel: cluster}}}
		if got := inWords(signal.Read(t.Context(), check)); !strings.HasPrefix(got, want) || (want == "" && got != "") {
			t.Errorf("Cluster %q: %q, want %q", cluster, got, want)
		}
	}
}

// opened is an opener of kinds that can be read.
func opened(context.Context, client.Object) error { return nil }

// unindexed reads from an API server, which lacks the cache's indexes.
type unindexed struct{ client.Reader }

func (u unindexed) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	for i, opt := range opts {
		if fields, indexed := opt.(client.MatchingFields); indexed {
			opts[i] = client.MatchingLabels{clusterv1.ClusterNameLabel: fields[machinesByCluster]}
		}
	}
	return u.Reader.List(ctx, list, opts...)
}

func inWords(readings []pause.Reading) string {
	if len(readings) != 1 {
		return "nothing"
	}
	switch r := readings[0]; {
	case r.Off:
		return "off"
	case r.Err != nil:
		return "error: " + r.Err.Error()
	}
	var ids []string
	for _, u := range readings[0].Upgrades {
		ids = append(ids, u.ID)
	}
	return strings.Join(ids, ",")
}
