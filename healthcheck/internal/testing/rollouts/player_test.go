package rollouts

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// quiet is for how long nothing changes before the next act.
const quiet = 2 * time.Second

// story is what happens to an object.
type story[O Workload] struct {
	name   string
	object O
	acts   []act[O]
}

type act[O Workload] struct {
	what string
	do   func(*player[O])
}

// player is the scheduler, the kubelets and the person in a story.
type player[O Workload] struct {
	t       *testing.T
	c       client.WithWatch
	object  O
	events  watch.Interface
	history []line
}

func play[O Workload](t *testing.T, e *env.Env, s story[O]) []line {
	t.Helper()
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	must(t, err)
	p := &player[O]{t: t, c: c, object: s.object}
	p.object.SetNamespace(e.Namespace(t))
	for i, a := range s.acts {
		a.do(p)
		if i == 0 {
			p.events, err = c.Watch(t.Context(), listOf(s.object), client.InNamespace(p.object.GetNamespace()))
			must(t, err)
			defer p.events.Stop()
		}
		p.settle(s.name, a.what)
	}
	return p.history
}

// settle binds Pods, and keeps each version of the object, until nothing has changed for a while.
func (p *player[O]) settle(name, what string) {
	for timer := time.NewTimer(quiet); ; {
		select {
		case <-timer.C:
			return
		case event := <-p.events.ResultChan():
			p.keep(name, what, event.Object)
			timer.Reset(quiet)
		case <-time.After(quiet / 10):
			if p.bind() {
				timer.Reset(quiet)
			}
		}
	}
}

// line is a Moment as it is written.
type line struct {
	Story  string         `json:"story"`
	Act    string         `json:"act"`
	Object map[string]any `json:"object"`
}

// keep adds a moment that differs from the one before: of an object, what rules look at, and what is the same in each recording.
func (p *player[O]) keep(story, act string, o runtime.Object) {
	p.t.Helper()
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	must(p.t, err)
	of := unstructured.Unstructured{Object: object}
	metadata := map[string]any{"name": of.GetName(), "generation": of.GetGeneration()}
	if r := of.GetAnnotations()[revision]; r != "" {
		metadata["annotations"] = map[string]any{revision: r}
	}
	object["metadata"] = metadata
	unstructured.RemoveNestedField(object, "spec", "template")
	unstructured.RemoveNestedField(object, "spec", "selector")
	conditions, _, err := unstructured.NestedSlice(object, "status", "conditions")
	must(p.t, err)
	for _, c := range conditions {
		delete(c.(map[string]any), "lastUpdateTime")
		delete(c.(map[string]any), "lastTransitionTime")
	}
	if len(conditions) > 0 {
		must(p.t, unstructured.SetNestedSlice(object, conditions, "status", "conditions"))
	}
	if last := len(p.history) - 1; last < 0 || !reflect.DeepEqual(p.history[last].Object, object) {
		p.history = append(p.history, line{story, act, object})
	}
}

const revision = "deployment.kubernetes.io/revision"

// pods returns the Pods, oldest first, then by name.
func (p *player[O]) pods(which func(corev1.Pod) bool) []corev1.Pod {
	p.t.Helper()
	var list corev1.PodList
	must(p.t, p.c.List(context.Background(), &list, client.InNamespace(p.object.GetNamespace())))
	slices.SortFunc(list.Items, func(a, b corev1.Pod) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return slices.DeleteFunc(list.Items, func(pod corev1.Pod) bool { return !which(pod) })
}

// bind gives Pods a Node: that of a DaemonSet's Pod is in its affinity. It reports whether there was one without.
func (p *player[O]) bind() bool {
	p.t.Helper()
	unbound := p.pods(func(pod corev1.Pod) bool { return pod.Spec.NodeName == "" && pod.DeletionTimestamp.IsZero() })
	for _, pod := range unbound {
		node := "any"
		if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil {
			node = a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields[0].Values[0]
		}
		binding := &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: node}}
		must(p.t, client.IgnoreNotFound(p.c.SubResource("binding").Create(p.t.Context(), &pod, binding)))
	}
	return len(unbound) > 0
}

func isReady(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// become makes the first n Pods ready that are not, or the first n unready that are ready.
func (p *player[O]) become(n int, ready corev1.ConditionStatus) {
	p.t.Helper()
	pods := p.pods(func(pod corev1.Pod) bool {
		return pod.DeletionTimestamp.IsZero() && isReady(pod) != (ready == corev1.ConditionTrue)
	})
	if len(pods) < n {
		p.t.Errorf("%d Pods should become ready %s, and there are %d", n, ready, len(pods))
		return
	}
	for _, pod := range pods[:n] {
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready, LastTransitionTime: metav1.Now()}}
		must(p.t, p.c.Status().Update(p.t.Context(), &pod))
	}
}

// edit changes the object.
func (p *player[O]) edit(change func(O)) {
	p.t.Helper()
	fresh := p.object.DeepCopyObject().(O)
	must(p.t, p.c.Get(p.t.Context(), client.ObjectKeyFromObject(p.object), fresh))
	before := fresh.DeepCopyObject().(O)
	change(fresh)
	must(p.t, p.c.Patch(p.t.Context(), fresh, client.MergeFrom(before)))
}

// created begins a story with a new object.
func created[O Workload]() act[O] {
	return act[O]{"it is created", func(p *player[O]) { must(p.t, p.c.Create(p.t.Context(), p.object.DeepCopyObject().(O))) }}
}

// running begins a story with an object that has n Pods, which are ready.
func running[O Workload](n int) act[O] {
	return act[O]{"before", func(p *player[O]) {
		must(p.t, p.c.Create(p.t.Context(), p.object.DeepCopyObject().(O)))
		for deadline := time.Now().Add(time.Minute); len(p.pods(isReady)) < n; p.bind() {
			p.become(len(p.pods(func(pod corev1.Pod) bool { return !isReady(pod) })), corev1.ConditionTrue)
			if time.Now().After(deadline) {
				p.t.Fatalf("%d Pods are ready, and not %d", len(p.pods(isReady)), n)
			}
		}
		<-time.After(quiet)
	}}
}

func ready[O Workload](n int) act[O] {
	return act[O]{fmt.Sprint("ready: ", n), func(p *player[O]) { p.become(n, corev1.ConditionTrue) }}
}

func fails[O Workload](n int) act[O] {
	return act[O]{fmt.Sprint("fails: ", n), func(p *player[O]) { p.become(n, corev1.ConditionFalse) }}
}

// ended removes Pods whose processes have ended.
func ended[O Workload]() act[O] {
	return act[O]{"what was deleted has ended", func(p *player[O]) {
		pods := p.pods(func(pod corev1.Pod) bool { return !pod.DeletionTimestamp.IsZero() })
		if len(pods) == 0 {
			p.t.Error("no Pod is being deleted")
		}
		for _, pod := range pods {
			must(p.t, client.IgnoreNotFound(p.c.Delete(p.t.Context(), &pod, client.GracePeriodSeconds(0))))
		}
	}}
}

func changed[O Workload](what string, change func(O)) act[O] {
	return act[O]{what, func(p *player[O]) { p.edit(change) }}
}
