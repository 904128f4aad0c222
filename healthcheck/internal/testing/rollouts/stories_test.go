package rollouts

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func meta(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

var selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}

const newImage = "the image is changed"

type (
	deploymentAct  = act[*appsv1.Deployment]
	statefulSetAct = act[*appsv1.StatefulSet]
	daemonSetAct   = act[*appsv1.DaemonSet]
)

func deployments() []story[*appsv1.Deployment] {
	type acts = []deploymentAct
	type object = *appsv1.Deployment
	tell := func(name string, acts acts, changes ...func(object)) story[object] {
		d := &appsv1.Deployment{ObjectMeta: meta("a"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(3)), Selector: selector, Template: podTemplate("")}}
		d.Spec.Template.Spec.NodeSelector = nil
		for _, change := range changes {
			change(d)
		}
		return story[object]{name, d, acts}
	}
	ready, fails, ended, before := ready[object], fails[object], ended[object](), running[object](3)
	image := changed(newImage, func(d object) { d.Spec.Template.Spec.Containers[0].Image = "a:2" })
	pause := func(paused bool) func(d object) { return func(d object) { d.Spec.Paused = paused } }
	deadline := func(d object) { d.Spec.ProgressDeadlineSeconds = new(int32(8)) }
	scale := func(what string, to int32) deploymentAct {
		return changed(what, func(d object) { d.Spec.Replicas = &to })
	}
	return []story[object]{
		tell("created", acts{created[object](), ready(1), ready(2)}),
		tell("a rolling update with a surge", acts{before, image, ready(1), ended, ready(1), ended, ready(1), ended}),
		tell("recreated", acts{before, image, ended, ready(1), ready(2)}, func(d object) { d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType }),
		tell("paused in the middle", acts{before, image, changed("it is paused", pause(true)), ready(1), changed("it goes on", pause(false)), ended, ready(1), ended, ready(1), ended}),
		tell("paused at rest", acts{before, changed("it is paused", pause(true)), fails(1), ready(1), changed("it goes on", pause(false))}),
		tell("scaled up and down", acts{before, scale("five are wanted", 5), ready(2), scale("two are wanted", 2), ended}),
		tell("a Pod that never comes", acts{before, image, {"its deadline passes", func(*player[object]) { <-time.After(8 * time.Second) }}}, deadline),
		tell("no quota for the surge", acts{before, {"there is no quota", noQuota[object]}, image}),
		tell("one Pod fails", acts{before, fails(1), ready(1)}),
		tell("two of three Pods fail", acts{before, fails(2), ready(2)}),
		tell("all old Pods fail in a rolling update", acts{before, image, fails(3)}),
	}
}

// noQuota leaves no room for another Pod, as a controller of quotas would.
func noQuota[O Workload](p *player[O]) {
	three := corev1.ResourceList{corev1.ResourcePods: resource.MustParse("3")}
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: p.object.GetNamespace(), Name: "q"}, Spec: corev1.ResourceQuotaSpec{Hard: three}}
	must(p.t, p.c.Create(p.t.Context(), quota))
	quota.Status = corev1.ResourceQuotaStatus{Hard: three, Used: three}
	must(p.t, p.c.Status().Update(p.t.Context(), quota))
}

func statefulSets() []story[*appsv1.StatefulSet] {
	type acts = []statefulSetAct
	type object = *appsv1.StatefulSet
	tell := func(name string, acts acts, changes ...func(object)) story[object] {
		s := &appsv1.StatefulSet{ObjectMeta: meta("a"), Spec: appsv1.StatefulSetSpec{Replicas: new(int32(3)), Selector: selector, Template: podTemplate("")}}
		s.Spec.Template.Spec.NodeSelector = nil
		for _, change := range changes {
			change(s)
		}
		return story[object]{name, s, acts}
	}
	ready, fails, ended, before := ready[object], fails[object], ended[object](), running[object](3)
	image := changed(newImage, func(s object) { s.Spec.Template.Spec.Containers[0].Image = "a:2" })
	partition := func(p int32) func(object) {
		return func(s object) {
			s.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateStatefulSetStrategy{Partition: &p}
		}
	}
	of := func(n int32) func(object) { return func(s object) { s.Spec.Replicas = &n } }
	parallel := func(s object) { s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }
	manual := func(s object) { s.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType }
	return []story[object]{
		tell("created", acts{created[object](), ready(1), ready(1), ready(1)}),
		tell("created, all at once", acts{created[object](), ready(2), ready(1)}, parallel),
		tell("a rolling update", acts{before, image, ended, ready(1), ended, ready(1), ended, ready(1)}),
		tell("of its only Pod", acts{running[object](1), image, ended, ready(1)}, of(1)),
		tell("with a partition, in two steps", acts{before, image, ended, ready(1), changed("the partition is taken away", partition(0)), ended, ready(1), ended, ready(1)}, partition(2)),
		tell("by hand", acts{before, image, {"a Pod is deleted", deleteOne[object]}, ended, ready(1)}, manual),
		tell("scaled up and down", acts{before, changed("five are wanted", of(5)), ready(1), ready(1), changed("four are wanted", of(4)), ended}),
		tell("from none to three", acts{running[object](0), changed("three are wanted", of(3)), ready(1), ready(1), ready(1)}, of(0)),
		tell("a Pod that never comes", acts{before, image, ended}),
		tell("one Pod fails", acts{before, fails(1), ready(1)}),
		tell("two of three Pods fail", acts{before, fails(2), ready(2)}),
		tell("quorum lost in a rolling update", acts{before, image, ended, fails(1), ready(2)}),
	}
}

func deleteOne[O Workload](p *player[O]) {
	must(p.t, p.c.Delete(p.t.Context(), &p.pods(func(corev1.Pod) bool { return true })[0]))
}

func daemonSets() []story[*appsv1.DaemonSet] {
	type acts = []daemonSetAct
	type object = *appsv1.DaemonSet
	tell := func(name, label string, acts acts, changes ...func(object)) story[object] {
		d := &appsv1.DaemonSet{ObjectMeta: meta("a"), Spec: appsv1.DaemonSetSpec{Selector: selector, Template: podTemplate(label)}}
		for _, change := range changes {
			change(d)
		}
		join := acts[0].do
		acts[0].do = func(p *player[object]) {
			for _, node := range []string{"-1", "-2", "-3"} {
				joins(p, label, label+node)
			}
			join(p)
		}
		return story[object]{name, d, acts}
	}
	ready, fails, ended := ready[object], fails[object], ended[object]()
	before := running[object](3)
	image := changed(newImage, func(d object) { d.Spec.Template.Spec.Containers[0].Image = "a:2" })
	surge := func(d object) {
		d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxUnavailable: new(intstr.FromInt32(0)), MaxSurge: new(intstr.FromInt32(1))}
	}
	manual := func(d object) { d.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType }
	return []story[object]{
		tell("created", "new", acts{created[object](), ready(1), ready(2)}),
		tell("a rolling update", "rolling", acts{before, image, ended, ready(1), ended, ready(1), ended, ready(1)}),
		tell("a rolling update with a surge", "surge", acts{before, image, ready(1), ended, ready(1), ended, ready(1), ended}, surge),
		tell("by hand", "hand", acts{before, image, {"a Pod is deleted", deleteOne[object]}, ended, ready(1)}, manual),
		tell("a Node joins", "join", acts{before, {"a Node joins", func(p *player[object]) { joins(p, "join", "join-4") }}, ready(1)}),
		tell("three Nodes join", "more", acts{before, {"three Nodes join", func(p *player[object]) {
			for _, node := range []string{"more-4", "more-5", "more-6"} {
				joins(p, "more", node)
			}
		}}, ready(3)}),
		tell("a Pod that never comes", "never", acts{before, image, ended}),
		tell("one Pod fails", "one", acts{before, fails(1), ready(1)}),
		tell("two of three Pods fail", "two", acts{before, fails(2), ready(2)}),
		tell("two Pods fail in a rolling update", "both", acts{before, image, ended, fails(2), ended, ready(3)}),
	}
}

// joins makes a Node, without the taint that the API server gives new ones.
func joins(p *player[*appsv1.DaemonSet], label, name string) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"story": label}}}
	must(p.t, p.c.Create(p.t.Context(), node))
	before := node.DeepCopy()
	node.Spec.Taints = nil
	must(p.t, p.c.Patch(p.t.Context(), node, client.MergeFrom(before)))
}

func listOf(o client.Object) client.ObjectList {
	switch o.(type) {
	case *appsv1.Deployment:
		return &appsv1.DeploymentList{}
	case *appsv1.StatefulSet:
		return &appsv1.StatefulSetList{}
	}
	return &appsv1.DaemonSetList{}
}
