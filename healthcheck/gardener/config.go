package gardener

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HealthCheckConfig is the configuration of health checks in the files of extensions.
type HealthCheckConfig struct {
	// SyncPeriod is how often each object is checked. The default is 30 seconds.
	SyncPeriod metav1.Duration `json:"syncPeriod"`
	// ShootRESTOptions change the options of the clients of shoots.
	ShootRESTOptions *RESTOptions `json:"shootRESTOptions,omitempty"`
}

// defaultSyncPeriod is the default of HealthCheckConfig.SyncPeriod.
const defaultSyncPeriod = 30 * time.Second

// RESTOptions are options of a client.
type RESTOptions struct {
	// QPS and Burst limit the requests, per second and at once.
	QPS   *float32 `json:"qps,omitempty"`
	Burst *int     `json:"burst,omitempty"`
	// Timeout is the timeout of each request.
	Timeout *time.Duration `json:"timeout,omitempty"`
}
