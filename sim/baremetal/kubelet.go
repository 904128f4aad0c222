package baremetal

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kubelet returns a program for machines that registers the Node of a host, if there is none, and sets it to Ready. The Node has the name of
// the host.
func Kubelet(c client.Client) func(context.Context, Boot) {
	return func(ctx context.Context, boot Boot) {
		for ctx.Err() == nil {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: boot.Name}}
			err := c.Get(ctx, client.ObjectKeyFromObject(node), node)
			if apierrors.IsNotFound(err) {
				err = c.Create(ctx, node)
			}
			if err == nil {
				node.Status.NodeInfo.BootID = boot.ID
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.Now()}}
				err = c.Status().Update(ctx, node)
			}
			if err == nil {
				<-ctx.Done()
			}
		}
	}
}
