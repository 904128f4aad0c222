package workload

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestHealthChanged(t *testing.T) {
	heartbeat := build.NodeFunc(func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.NewTime(now) })
	message := build.NodeReady(metav1.ConditionTrue, build.Epoch).WithMessage("kubelet is posting ready status")
	pressure := build.Condition("PIDPressure", "False", "R", build.Epoch)
	boot := func(id string) build.NodeOption {
		return build.NodeFunc(func(n *corev1.Node) { n.Status.NodeInfo.BootID = id })
	}
	tests := map[string]struct {
		before, after []build.NodeOption
		want          bool
	}{
		"nothing":                    {nil, nil, false},
		"a heartbeat":                {nil, []build.NodeOption{heartbeat}, false},
		"another message":            {nil, []build.NodeOption{message}, false},
		"a label":                    {nil, []build.NodeOption{build.Label("l", "1")}, false},
		"another status":             {nil, []build.NodeOption{build.NodeReady(metav1.ConditionUnknown, build.Epoch)}, true},
		"another transition":         {nil, []build.NodeOption{build.NodeReady(metav1.ConditionTrue, now)}, true},
		"another boot":               {nil, []build.NodeOption{boot("b")}, true},
		"another reason":             {[]build.NodeOption{pressure}, []build.NodeOption{build.Condition("PIDPressure", "False", "Other", now)}, true},
		"a condition appears":        {nil, []build.NodeOption{pressure}, true},
		"a condition goes":           {[]build.NodeOption{pressure}, nil, true},
		"another Node of that name":  {nil, []build.NodeOption{build.UID("new")}, true},
		"a heartbeat among several":  {[]build.NodeOption{pressure}, []build.NodeOption{pressure, heartbeat}, false},
		"another status among these": {[]build.NodeOption{pressure}, []build.NodeOption{build.Condition("PIDPressure", "True", "R", now)}, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			update := event.UpdateEvent{ObjectOld: build.Node("n", tt.before...), ObjectNew: build.Node("n", tt.after...)}
			if got := HealthChanged().Update(update); got != tt.want {
				t.Errorf("the update passes: %t, want %t", got, tt.want)
			}
			if !HealthChanged().Create(event.CreateEvent{Object: update.ObjectNew}) || !HealthChanged().Delete(event.DeleteEvent{Object: update.ObjectNew}) {
				t.Error("creation and deletion have to pass")
			}
		})
	}
}

// TestReduce: a cached Node keeps what the rules read, and no more.
func TestReduce(t *testing.T) {
	full := build.Node("n", build.Label("l", "1"), build.Annotation("a", "1"), build.Deleting(now), build.NodeReady(metav1.ConditionFalse, now).WithMessage("m"))
	full.ResourceVersion = "7"
	full.Status.NodeInfo = corev1.NodeSystemInfo{BootID: "b", KernelVersion: "6"}
	full.Status.Images = []corev1.ContainerImage{{Names: []string{"large"}}}
	want := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: "n", UID: full.UID, ResourceVersion: "7", Generation: full.Generation,
			CreationTimestamp: full.CreationTimestamp, DeletionTimestamp: full.DeletionTimestamp,
		},
		Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{BootID: "b"}, Conditions: []corev1.NodeCondition{{
			Type: corev1.NodeReady, Status: corev1.ConditionFalse, LastHeartbeatTime: metav1.NewTime(now), LastTransitionTime: metav1.NewTime(now), Reason: "KubeletNotReady", Message: "m",
		}}},
	}
	got, err := reduce(full)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("reduced Node (-want +got):\n%s", diff)
	}
	if got, err := reduce("tombstone"); got != "tombstone" || err != nil {
		t.Errorf("what is no Node became %v, %v", got, err)
	}
	if len(NodeCache()) != 1 {
		t.Errorf("there are %d kinds in the options of the cache, want Nodes alone", len(NodeCache()))
	}
}

// watcher starts a source as a controller does.
type watcher struct {
	ctx   context.Context
	queue workqueue.TypedRateLimitingInterface[ctrl.Request]
}

// Watch implements clustercache.SourceWatcher.
func (w watcher) Watch(src source.Source) error { return src.Start(w.ctx, w.queue) }

// TestEqualNodeNames: two clusters have a Node of the same name, and each event goes to its own cluster. The
// API server of the test stands for both.
func TestEqualNodeNames(t *testing.T) {
	g := NewWithT(t)
	e := env.Get(t)
	mgr := e.Manager(t, env.ManagerOptions{})
	clusters, _ := over(&connection{cache: mgr.GetCache()}, nil)
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[ctrl.Request]())
	t.Cleanup(queue.ShutDown)
	toRequest := func(_ context.Context, cluster client.ObjectKey, node string) []ctrl.Request {
		return []ctrl.Request{{NamespacedName: types.NamespacedName{Namespace: cluster.Name, Name: node}}}
	}
	clusters.lines.of = map[path]*line{}
	for _, name := range []string{"east", "west"} {
		clusters.lines.of[path{cluster: client.ObjectKey{Name: name}}] = &line{hangs: now.Add(hangBackoff)}
		g.Expect(clusters.Watch(t.Context(), "nodes", client.ObjectKey{Name: name}, watcher{t.Context(), queue}, toRequest)).To(Succeed())
	}
	node := build.Node(e.Namespace(t) + "-node")
	build.Create(t.Context(), t, e.Client, node)
	var got []string
	g.Eventually(func() []string { got = append(got, drain(queue)...); return got }, 30*time.Second).Should(ContainElements("east/"+node.Name, "west/"+node.Name))
	if _, err := clusters.lines.enter(path{cluster: client.ObjectKey{Name: "east"}}, callers{}, now); err != nil {
		t.Error("a cluster whose Nodes are heard of still counts as one that hangs")
	}
}

// drain returns the queued requests.
func drain(queue workqueue.TypedRateLimitingInterface[ctrl.Request]) []string {
	var got []string
	for queue.Len() > 0 {
		request, _ := queue.Get()
		queue.Done(request)
		got = append(got, request.String())
	}
	return got
}
