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

// defaultDataKey is where a secret has its kubeconfig, if KubeconfigSecret does not say.
// Gardener has it there; Cluster API has it in "value".
const defaultDataKey = "kubeconfig"

// KubeconfigSecret finds the kubeconfig of a target in a secret. Its method Resolve is
// what Clients.Resolve takes.
//
// The kubeconfig must be complete. It may name neither files nor commands: those who
// may write the secret could have this process open and run them.
type KubeconfigSecret[T any] struct {
	// Reader reads the secret, in each run. Give it the manager's client, which reads
	// from its cache; the cache should be limited to the secrets in question.
	Reader client.Reader
	// Secret returns the namespace and name of the secret for an object.
	Secret func(obj T) client.ObjectKey
	// DataKey is where the secret has the kubeconfig. The default is "kubeconfig".
	DataKey string
}

// Resolve returns the target that is named after its secret, as "namespace/name". Its
// version is a hash of the kubeconfig: other changes of the secret change nothing.
func (s KubeconfigSecret[T]) Resolve(ctx context.Context, obj T) (Target, error) {
	key, dataKey := s.Secret(obj), cmp.Or(s.DataKey, defaultDataKey)
	var secret corev1.Secret
	if err := s.Reader.Get(ctx, key, &secret); err != nil {
		return Target{}, fmt.Errorf("getting the kubeconfig secret %s: %w", key, err)
	}
	kubeconfig := secret.Data[dataKey]
	if len(kubeconfig) == 0 {
		return Target{}, fmt.Errorf("the kubeconfig secret %s has no key %q", key, dataKey)
	}
	hash := sha256.Sum256(kubeconfig)
	return Target{
		Key:     key.String(),
		Version: hex.EncodeToString(hash[:]),
		Config:  func(context.Context) (*rest.Config, error) { return ParseKubeconfig(kubeconfig) },
	}, nil
}

// errNoKubeconfig does not say more: what a parser has to say may quote the secret, and
// this ends in a condition.
var errNoKubeconfig = errors.New("the secret holds no valid kubeconfig")

// ForbiddenError says that a kubeconfig names something outside of itself.
type ForbiddenError struct {
	// Names is what it names: "a file", "a command", "an auth provider".
	Names string
}

// Error implements error.
func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("the kubeconfig in the secret names %s, which is not allowed", e.Names)
}

// ParseKubeconfig makes a configuration of a kubeconfig that others may write. It must be
// complete: a file that it named would be read here, and the credentials of this process
// sent to a server of somebody else. No error quotes it.
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

// beyond says what a user entry would reach for outside of the kubeconfig; empty if
// nothing.
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
