package workload

import (
	"context"
	"unique"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// Watch makes the Nodes of a cluster trigger a controller. Each event carries its cluster, so that Nodes of
// the same name in two clusters stay distinct. It may be called repeatedly under the name of the controller.
// Without a connection it does nothing, and must be called again once there is one.
func (c *Clusters) Watch(ctx context.Context, name string, cluster client.ObjectKey, watcher clustercache.SourceWatcher[ctrl.Request],
	mapNode func(ctx context.Context, cluster client.ObjectKey, node string) []ctrl.Request,
) error {
	err := c.Cache.Watch(ctx, cluster, clustercache.NewWatcher(clustercache.WatcherOptions{
		Name:    name,
		Watcher: watcher,
		Kind:    &corev1.Node{},
		EventHandler: handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, node client.Object) []ctrl.Request {
			c.answers(cluster)
			return mapNode(ctx, cluster, node.GetName())
		}),
		Predicates: []predicate.Predicate{HealthChanged()},
	}))
	if err != nil {
		return c.unreadable(ctx, path{cluster: cluster}, err)
	}
	return nil
}

// HealthChanged passes a Node's event if it can change a verdict or a rule of a plan. Heartbeats, which are
// nearly all events, cannot: a verdict that depends on their absence looks again by itself. Nor can a message alone: it may count how often something happened.
func HealthChanged() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*corev1.Node), e.ObjectNew.(*corev1.Node)
		return before.UID != after.UID || before.Status.NodeInfo.BootID != after.Status.NodeInfo.BootID || !sameConditions(before.Status.Conditions, after.Status.Conditions)
	}}
}

func sameConditions(a, b []corev1.NodeCondition) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.Type != y.Type || x.Status != y.Status || x.Reason != y.Reason || !x.LastTransitionTime.Equal(&y.LastTransitionTime) {
			return false
		}
	}
	return true
}

// NodeCache makes the cache keep only the small part of a Node that rules read. The rules of plans read
// reasons and messages, too. Most Nodes share these strings, so each is stored once.
func NodeCache() map[client.Object]ctrlcache.ByObject {
	return map[client.Object]ctrlcache.ByObject{&corev1.Node{}: {Transform: reduce}}
}

func reduce(obj any) (any, error) {
	node, ok := obj.(*corev1.Node)
	if !ok {
		return obj, nil
	}
	reduced := &corev1.Node{TypeMeta: node.TypeMeta, ObjectMeta: metav1.ObjectMeta{
		Name: node.Name, UID: node.UID, ResourceVersion: node.ResourceVersion, Generation: node.Generation,
		CreationTimestamp: node.CreationTimestamp, DeletionTimestamp: node.DeletionTimestamp,
	}}
	reduced.Status.NodeInfo.BootID = node.Status.NodeInfo.BootID
	for _, c := range node.Status.Conditions {
		reduced.Status.Conditions = append(reduced.Status.Conditions, corev1.NodeCondition{
			Type: c.Type, Status: c.Status, LastHeartbeatTime: c.LastHeartbeatTime, LastTransitionTime: c.LastTransitionTime,
			Reason: unique.Make(c.Reason).Value(), Message: unique.Make(c.Message).Value(),
		})
	}
	return reduced, nil
}
