package targets

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaultDataKey is the default of KubeconfigSecret.DataKey. Gardener uses it; Cluster API
// uses "value".
const defaultDataKey = "kubeconfig"

// KubeconfigSecret reads the kubeconfig of a target from a secret. Its method Resolve can
// be a Clients.Resolve.
//
// The kubeconfig must be self-contained. It must not name files or commands, because anyone
// who can write the secret could make this process read or run them.
type KubeconfigSecret[T any] struct {
	// Reader reads the secret in each run. Give it the manager's client, which reads from
	// its cache; limit the cache to the secrets in question.
	Reader client.Reader
	// Secret returns the namespace and name of the secret for an object.
	Secret func(obj T) client.ObjectKey
	// DataKey is the key of the kubeconfig in the secret's data. The default is
	// "kubeconfig"; that of Cluster API is "value".
	DataKey string
}

// Resolve returns how to reach the target; its key is that of the secret, "namespace/name". Its version
// is a hash of the kubeconfig, so other changes of the secret have no effect.
func (s KubeconfigSecret[T]) Resolve(ctx context.Context, obj T) (Access, error) {
	if s.Reader == nil || s.Secret == nil {
		return Access{}, errors.New("the KubeconfigSecret has no Reader or no Secret")
	}
	key, dataKey := s.Secret(obj), cmp.Or(s.DataKey, defaultDataKey)
	var secret corev1.Secret
	if err := s.Reader.Get(ctx, key, &secret); err != nil {
		return Access{}, fmt.Errorf("getting the kubeconfig secret %s: %w", key, err)
	}
	kubeconfig := secret.Data[dataKey]
	if len(kubeconfig) == 0 {
		return Access{}, fmt.Errorf("the kubeconfig secret %s has no key %q", key, dataKey)
	}
	hash := sha256.Sum256(kubeconfig)
	return Access{
		Key:     key.String(),
		Version: hex.EncodeToString(hash[:]),
		Config:  func(context.Context) (*rest.Config, error) { return ParseKubeconfig(kubeconfig) },
	}, nil
}

// errNoKubeconfig contains no details: a parser's error may quote the secret, and this text
// ends up in a condition.
var errNoKubeconfig = errors.New("the secret holds no valid kubeconfig")

// ForbiddenError says that a kubeconfig refers to something outside itself.
type ForbiddenError struct {
	// Names is what it refers to: "a file", "a command", "an auth provider".
	Names string
}

// Error implements error.
func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("the kubeconfig in the secret names %s, which is not allowed", e.Names)
}

// ParseKubeconfig returns the configuration in a kubeconfig that others may write. The
// kubeconfig must be self-contained: this process would read a file that it names, and
// could send its own credentials to a stranger's server. Errors do not quote it. If it
// names something outside itself, the error is a *ForbiddenError.
func ParseKubeconfig(kubeconfig []byte) (*rest.Config, error) {
	raw, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, errNoKubeconfig
	}
	for _, cluster := range raw.Clusters {
		if cluster.CertificateAuthority != "" {
			return nil, &ForbiddenError{Names: "a file"}
		}
	}
	for _, user := range raw.AuthInfos {
		if what := beyond(user); what != "" {
			return nil, &ForbiddenError{Names: what}
		}
	}
	cfg, err := clientcmd.NewDefaultClientConfig(*raw, &clientcmd.ConfigOverrides{}).ClientConfig()
	if err != nil {
		return nil, errNoKubeconfig
	}
	return cfg, nil
}

// beyond returns what a user entry refers to outside the kubeconfig; empty if nothing.
func beyond(user *clientcmdapi.AuthInfo) string {
	switch {
	case user.Exec != nil:
		return "a command"
	case user.AuthProvider != nil:
		return "an auth provider"
	case user.TokenFile != "" || user.ClientCertificate != "" || user.ClientKey != "":
		return "a file"
	}
	return ""
}
