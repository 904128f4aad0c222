package gardener

import (
	"context"
	"errors"
	"sync"

	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// ShootTargets returns clients of shoots, by the kubeconfig in Secret gardener-internal, or
// else gardener, in the namespace of the extension object. It keeps them like
// [targets.Clients]: one for each kubeconfig, and a shoot that does not answer does not
// delay others.
//
// Add it to the manager, which then closes unused clients. It is safe for concurrent use.
// It must not be copied, or changed after its first use.
type ShootTargets struct {
	// Client reads the Secrets.
	Client client.Reader
	// Scheme is the scheme of the clients.
	Scheme *runtime.Scheme
	// RESTOptions are the options of the clients.
	RESTOptions RESTOptions
	// External uses only Secret gardener, for processes that run outside the seed.
	External bool

	once    sync.Once
	clients *targets.Clients[client.Object]
}

var _ healthcheck.Targets[client.Object] = &ShootTargets{}

// Target implements healthcheck.Targets. For a shoot without a kubeconfig it returns no
// error, but a client that makes the checks report it: see unavailable.
func (t *ShootTargets) Target(ctx context.Context, obj client.Object) (client.Reader, error) {
	c, err := t.shared().Target(ctx, obj)
	if err == nil {
		return c, nil
	}
	// Like Gardener, report what the API server says about the Secret, without more words.
	if status, ok := errors.AsType[*apierrors.StatusError](err); ok {
		err = status
	}
	return unavailable{obj.GetNamespace(), err}, nil
}

// Start closes unused clients until ctx ends, and then all. It implements manager.Runnable.
func (t *ShootTargets) Start(ctx context.Context) error { return t.shared().Start(ctx) }

func (t *ShootTargets) shared() *targets.Clients[client.Object] {
	t.once.Do(func() {
		t.clients = &targets.Clients[client.Object]{Resolve: t.resolve, Options: targets.Options{
			Scheme:  t.Scheme,
			Timeout: ptr.Deref(t.RESTOptions.Timeout, 0), QPS: ptr.Deref(t.RESTOptions.QPS, 0), Burst: ptr.Deref(t.RESTOptions.Burst, 0),
		}}
	})
	return t.clients
}

// resolve uses the first of the Secrets that exists.
func (t *ShootTargets) resolve(ctx context.Context, obj client.Object) (found targets.Access, err error) {
	names := []string{v1beta1constants.SecretNameGardenerInternal, v1beta1constants.SecretNameGardener}
	if t.External {
		names = names[1:]
	}
	for _, name := range names {
		secret := targets.KubeconfigSecret[client.Object]{Reader: t.Client, Secret: func(obj client.Object) client.ObjectKey {
			return client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}
		}}
		if found, err = secret.Resolve(ctx, obj); !apierrors.IsNotFound(err) {
			break
		}
	}
	// There is one shoot in a namespace, whichever Secret is used.
	found.Key = obj.GetNamespace()
	return found, err
}
