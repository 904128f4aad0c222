package workload

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kubeconfigs reads the kubeconfig Secrets of workload clusters, and rejects those that name a file, a command or an auth provider.
// A user who may write such a Secret need not have access to what Sickbay can read: its own token is in a file.
//
// An error says nothing of what is in the secret, as errors are logged.
type Kubeconfigs struct{ client.Reader }

// Get implements client.Reader.
func (k Kubeconfigs) Get(ctx context.Context, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
	if err := k.Reader.Get(ctx, key, obj, opts...); err != nil {
		return err
	}
	kubeconfig, ok := obj.(*corev1.Secret)
	if !ok {
		return nil
	}
	return kubeconfigError(kubeconfig)
}
