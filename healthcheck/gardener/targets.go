package gardener

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ShootTargets gives clients of shoots, by the kubeconfig in Secret gardener-internal,
// or else gardener, in the namespace of the extension object. There is one client for
// each Secret: it is made anew when that changes, and forgotten when nobody has asked
// for it for a while.
type ShootTargets struct {
	// Client reads the Secrets.
	Client client.Reader
	// Scheme is that of the clients.
	Scheme *runtime.Scheme
	// RESTOptions change how they reach the shoot.
	RESTOptions RESTOptions
	// External takes Secret gardener alone, for those who run outside of the seed.
	External bool
	// Clock tells since when a client is idle. The default is the real one.
	Clock clock.PassiveClock

	mutex sync.Mutex
	known map[string]shoot
}

// shoot is a client, and what it was made of.
type shoot struct {
	secret client.ObjectKey
	// uid and version are those of the Secret.
	uid, version string
	client       client.Client
	http         *http.Client
	used         time.Time
}

// idle is how long a client is kept that nobody asks for.
const idle = 10 * time.Minute

// Target implements healthcheck.Targets. A shoot that cannot be reached is no error,
// but a client whose checks say so: see unavailable.
func (t *ShootTargets) Target(ctx context.Context, obj client.Object) (client.Reader, error) {
	c, err := t.client(ctx, obj.GetNamespace())
	if err != nil {
		return unavailable{err: err}, nil
	}
	return c, nil
}

func (t *ShootTargets) client(ctx context.Context, namespace string) (client.Client, error) {
	secret, err := t.secret(ctx, namespace)
	if err != nil {
		return nil, err
	}
	key, now := client.ObjectKeyFromObject(secret), clockOr(t.Clock).Now()
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.forget(now)
	known, found := t.known[namespace]
	if !found || known.secret != key || known.uid != string(secret.UID) || known.version != secret.ResourceVersion {
		made, err := t.connect(secret)
		if err != nil {
			return nil, err
		}
		if found {
			known.http.CloseIdleConnections()
		}
		known = made
	}
	known.used = now
	if t.known == nil {
		t.known = map[string]shoot{}
	}
	t.known[namespace] = known
	return known.client, nil
}

// forget lets go of the clients that are idle.
func (t *ShootTargets) forget(now time.Time) {
	for namespace, known := range t.known {
		if now.Sub(known.used) > idle {
			known.http.CloseIdleConnections()
			delete(t.known, namespace)
		}
	}
}

func (t *ShootTargets) secret(ctx context.Context, namespace string) (*corev1.Secret, error) {
	names := []string{v1beta1constants.SecretNameGardenerInternal, v1beta1constants.SecretNameGardener}
	if t.External {
		names = names[1:]
	}
	var (
		secret = &corev1.Secret{}
		err    error
	)
	for _, name := range names {
		if err = t.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); !apierrors.IsNotFound(err) {
			break
		}
	}
	return secret, err
}

// connect makes a client. It says nothing to the shoot yet.
func (t *ShootTargets) connect(secret *corev1.Secret) (shoot, error) {
	config, err := restConfig(secret.Data["kubeconfig"])
	if err != nil {
		return shoot{}, fmt.Errorf("reading the kubeconfig in secret %s: %w", client.ObjectKeyFromObject(secret), err)
	}
	t.RESTOptions.apply(config)
	httpClient, err := rest.HTTPClientFor(config)
	if err != nil {
		return shoot{}, fmt.Errorf("reaching shoot %s: %w", secret.Namespace, err)
	}
	c, err := client.New(config, client.Options{HTTPClient: httpClient, Scheme: t.Scheme})
	if err != nil {
		return shoot{}, fmt.Errorf("reaching shoot %s: %w", secret.Namespace, err)
	}
	return shoot{
		secret: client.ObjectKeyFromObject(secret), uid: string(secret.UID), version: secret.ResourceVersion,
		client: c, http: httpClient,
	}, nil
}
