package fairqueue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func groupOf(item string) string { return strings.Split(item, "-")[0] }

// TestTurns: the longest-waiting request of a group comes first, and no group is served twice while another
// waits.
func TestTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		queue, pushed := &turns[string]{}, 0
		waiting, waited := map[string][]string{}, map[string]int{}
		push := func(*rapid.T) {
			group := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "group")
			item := fmt.Sprintf("%s-%d", group, pushed)
			pushed++
			queue.push(item, group)
			waiting[group] = append(waiting[group], item)
		}
		pop := func(t *rapid.T) {
			if queue.count == 0 {
				t.Skip("nothing is waiting")
			}
			item := queue.pop()
			group := groupOf(item)
			if waiting[group][0] != item {
				t.Fatalf("%s came before %s", item, waiting[group][0])
			}
			waiting[group], waited[group] = waiting[group][1:], 0
			for other := range waiting {
				if len(waiting[other]) > 0 && other != group {
					waited[other]++
				}
				if waited[other] > 2 {
					t.Fatalf("%s has waited for %d others", other, waited[other])
				}
			}
		}
		t.Repeat(map[string]func(*rapid.T){"push": push, "pop": pop, "": func(t *rapid.T) {
			if want := len(waiting["a"]) + len(waiting["b"]) + len(waiting["c"]); queue.count != want {
				t.Fatalf("%d are waiting, want %d", queue.count, want)
			}
		}})
	})
}

// TestStorm: a fault in a small cluster does not wait for a storm in a large one.
func TestStorm(t *testing.T) {
	kinds := runtime.NewScheme()
	if err := clusterv1.AddToScheme(kinds); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(kinds).WithObjects(build.Machine("ns", "lone", build.InCluster("small"))).Build()
	for i := range 100 {
		if err := c.Create(t.Context(), build.Machine("ns", fmt.Sprint("m", i))); err != nil {
			t.Fatal(err)
		}
	}
	byCluster := ByCluster(c, func() *clusterv1.Machine { return &clusterv1.Machine{} }, func(m *clusterv1.Machine) (string, bool) { return m.Spec.ClusterName, false })
	queue := New(byCluster)("machines", workqueue.NewTypedItemExponentialFailureRateLimiter[ctrl.Request](time.Millisecond, time.Second))
	defer queue.ShutDown()
	for i := range 100 {
		queue.Add(ctrl.Request{NamespacedName: types.NamespacedName{Namespace: "ns", Name: fmt.Sprint("m", i)}})
	}
	lone := ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "lone"}}
	queue.Add(lone)
	queue.Add(ctrl.Request{NamespacedName: client.ObjectKey{Namespace: "ns", Name: "gone"}})
	var first []string
	for range 3 {
		req, _ := queue.Get()
		queue.Done(req)
		first = append(first, req.Name)
	}
	if want := []string{"m0", "lone", "gone"}; !slices.Equal(first, want) {
		t.Errorf("served were %v, want %v", first, want)
	}
	if queue.Len() != 99 {
		t.Errorf("%d are waiting", queue.Len())
	}
}

// TestLanes: urgent requests go first, but those that can wait are served, too, however many urgent ones
// come.
func TestLanes(t *testing.T) {
	queue := &lanes[string]{placeOf: func(item string) Place { return Place{Group: groupOf(item), CanWait: strings.HasSuffix(item, "new")} }}
	for _, item := range []string{"a-new", "b-new", "a-due", "b-due"} {
		queue.Push(item)
		queue.Touch(item)
	}
	var served []string
	for queue.Len() > 0 {
		served = append(served, queue.Pop())
	}
	if want := []string{"a-due", "b-due", "a-new", "b-new"}; !slices.Equal(served, want) {
		t.Errorf("served were %v, want %v", served, want)
	}
	queue.Push("a-new")
	for i := range patience + 1 {
		queue.Push(fmt.Sprintf("b-%d", i))
		if item := queue.Pop(); (item == "a-new") != (i == patience) {
			t.Errorf("%s was served after %d others", item, i)
		}
	}
}
