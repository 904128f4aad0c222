package fault

import (
	"context"
	"encoding/base64"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// kubeconfigBefore is the annotation with a Secret's original kubeconfig.
const kubeconfigBefore = annotationPrefix + "kubeconfig-before"

// BreakKubeconfig replaces the kubeconfig of a workload cluster with something that does not parse.
//
// New connections fail at once. Existing ones continue, including Cluster API's cluster cache; a
// CutOff of a minute ends them. The control plane's controller does not repair the Secret, and does
// nothing else for this control plane meanwhile.
type BreakKubeconfig struct {
	Cluster client.ObjectKey
}

// String implements Fault.
func (f BreakKubeconfig) String() string {
	return fmt.Sprintf("kubeconfig of cluster %s broken", f.Cluster)
}

// Inject implements Fault.
func (f BreakKubeconfig) Inject(ctx context.Context, w *world.World) error {
	return change(ctx, w, f.secret(), &corev1.Secret{}, func(kubeconfig *corev1.Secret) {
		if _, broken := kubeconfig.Annotations[kubeconfigBefore]; broken {
			return
		}
		good := kubeconfig.Data[secret.KubeconfigDataName]
		annotate(kubeconfig, kubeconfigBefore, base64.StdEncoding.EncodeToString(good))
		kubeconfig.Data[secret.KubeconfigDataName] = []byte("not a kubeconfig")
	})
}

// Heal implements Fault.
func (f BreakKubeconfig) Heal(ctx context.Context, w *world.World) error {
	var malformed error
	err := change(ctx, w, f.secret(), &corev1.Secret{}, func(kubeconfig *corev1.Secret) {
		before, broken := kubeconfig.Annotations[kubeconfigBefore]
		if !broken {
			return
		}
		good, err := base64.StdEncoding.DecodeString(before)
		if err != nil {
			malformed = fmt.Errorf("reading the earlier kubeconfig: %w", err)
			return
		}
		kubeconfig.Data[secret.KubeconfigDataName] = good
		unannotate(kubeconfig, kubeconfigBefore)
	})
	if malformed != nil {
		return malformed
	}
	return ignoreNotFound(err)
}

func (f BreakKubeconfig) secret() client.ObjectKey {
	return client.ObjectKey{Namespace: f.Cluster.Namespace, Name: secret.Name(f.Cluster.Name, secret.Kubeconfig)}
}
