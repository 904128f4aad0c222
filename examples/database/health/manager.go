package health

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// Options returns the manager's options that the checks need: Secrets are read on demand, so
// that the cache does not keep those of the whole cluster.
func Options(kinds *runtime.Scheme) ctrl.Options {
	return ctrl.Options{
		Scheme: kinds,
		Client: client.Options{Cache: &client.CacheOptions{DisableFor: []client.Object{&corev1.Secret{}}}},
	}
}

// SetupWithManager makes mgr check all Databases. The kubeconfig of the cluster with the backup
// is in a Secret next to each Database.
func SetupWithManager(mgr ctrl.Manager) error {
	remote := &targets.Clients[database]{Resolve: targets.KubeconfigSecret[database]{
		Reader: mgr.GetClient(),
		Secret: func(d database) client.ObjectKey {
			return client.ObjectKey{Namespace: d.Namespace, Name: d.Name + "-backup-cluster"}
		},
	}.Resolve}
	if err := mgr.Add(remote); err != nil {
		return err
	}
	return healthcheck.New(Checks(remote, mgr.GetEventRecorder("database-health"))).SetupWithManager(mgr)
}
