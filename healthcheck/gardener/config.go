package gardener

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// HealthCheckConfig is the configuration of health checks, as extensions have it in
// their files.
type HealthCheckConfig struct {
	// SyncPeriod is how often each object is checked. The default is 30 seconds.
	SyncPeriod metav1.Duration `json:"syncPeriod"`
	// ShootRESTOptions change how shoots are reached.
	ShootRESTOptions *RESTOptions `json:"shootRESTOptions,omitempty"`
}

// defaultSyncPeriod is how often each object is checked if nobody says.
const defaultSyncPeriod = 30 * time.Second

// RESTOptions are options of a client.
type RESTOptions struct {
	// QPS and Burst limit how much it asks.
	QPS   *float32 `json:"qps,omitempty"`
	Burst *int     `json:"burst,omitempty"`
	// Timeout limits each question.
	Timeout *time.Duration `json:"timeout,omitempty"`
}
