package gardener

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// HealthCheckConfig is the configuration of health checks, as extensions have it in
// their files.
type HealthCheckConfig struct {
	// SyncPeriod is how often each object is checked. The default is DefaultSyncPeriod.
	SyncPeriod metav1.Duration `json:"syncPeriod"`
	// ShootRESTOptions change how shoots are reached.
	ShootRESTOptions *RESTOptions `json:"shootRESTOptions,omitempty"`
}

// DefaultSyncPeriod is how often each object is checked if nobody says.
const DefaultSyncPeriod = 30 * time.Second

// RESTOptions are options of a client.
type RESTOptions struct {
	// QPS and Burst limit how much it asks.
	QPS   *float32 `json:"qps,omitempty"`
	Burst *int     `json:"burst,omitempty"`
	// Timeout limits each question.
	Timeout *time.Duration `json:"timeout,omitempty"`
}

func (o RESTOptions) apply(config *rest.Config) {
	if o.QPS != nil {
		config.QPS = *o.QPS
	}
	if o.Burst != nil {
		config.Burst = *o.Burst
	}
	if o.Timeout != nil {
		config.Timeout = *o.Timeout
	}
}

// restConfig reads a kubeconfig. It refuses what would have us run a command, or speak
// in the name of somebody else: who can write the Secret must not be able to do that.
func restConfig(kubeconfig []byte) (*rest.Config, error) {
	config, err := clientcmd.Load(kubeconfig)
	if err != nil {
		return nil, err
	}
	for user, auth := range config.AuthInfos {
		switch {
		case auth.Exec != nil:
			return nil, fmt.Errorf("user %q has a command", user)
		case auth.AuthProvider != nil:
			return nil, fmt.Errorf("user %q has an auth provider", user)
		case auth.Impersonate != "" || len(auth.ImpersonateGroups) > 0:
			return nil, fmt.Errorf("user %q impersonates another", user)
		}
	}
	return clientcmd.NewDefaultClientConfig(*config, nil).ClientConfig()
}
