package app

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/cachelist"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// cacheOptions limits the cache to what is read, by these informers.
func cacheOptions(o Options, informers *cachelist.Informers) (cache.Options, error) {
	ofCluster, err := labels.NewRequirement(clusterv1.ClusterNameLabel, selection.Exists, nil)
	if err != nil {
		return cache.Options{}, err
	}
	secrets := cache.ByObject{Label: labels.NewSelector().Add(*ofCluster), Transform: keepKubeconfig}
	for _, namespace := range o.SecretNamespaces {
		if secrets.Namespaces == nil {
			secrets.Namespaces = map[string]cache.Config{}
		}
		secrets.Namespaces[namespace] = cache.Config{}
	}
	options := cache.Options{
		DefaultTransform: reduce,
		NewInformer:      informers.NewInformer,
		ByObject:         map[client.Object]cache.ByObject{&corev1.Secret{}: secrets},
	}
	if slices.Equal(o.Controllers, []string{upgradepause.ControllerName}) && !o.hasDashboard() {
		options.DefaultTransform = reduceForPauses
	}
	if o.Namespace != "" {
		options.DefaultNamespaces = map[string]cache.Config{o.Namespace: {}}
	}
	return options, nil
}

// keepKubeconfig drops the data of every Secret that is not a kubeconfig: data that is not in memory cannot
// leak.
func keepKubeconfig(obj any) (any, error) {
	s, ok := obj.(*corev1.Secret)
	if !ok {
		return obj, nil
	}
	s.SetManagedFields(nil)
	if !strings.HasSuffix(s.Name, "-"+string(secret.Kubeconfig)) {
		s.Data = nil
	}
	return s, nil
}
