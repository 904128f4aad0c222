package targets

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/clock"
)

// The defaults of Options.
const (
	DefaultTimeout      = 10 * time.Second
	DefaultDialTimeout  = 5 * time.Second
	DefaultQPS          = 50
	DefaultBurst        = 100
	DefaultIdleTime     = 15 * time.Minute
	DefaultMaxTargets   = 1000
	DefaultFirstBackoff = 2 * time.Second
	DefaultLastBackoff  = 30 * time.Second
)

// Options are the settings of Clients. The zero value is good.
type Options struct {
	// Scheme has the kinds that are read as Go types. The default is client-go's, with
	// the kinds of Kubernetes; unstructured objects need none.
	Scheme *runtime.Scheme
	// Timeout bounds each request, with its answer, and before that the wait for its
	// turn, if QPS is exceeded. It should be well below the
	// timeout of a check, or that of the check is what a dead target costs. The default
	// is DefaultTimeout.
	Timeout time.Duration
	// DialTimeout bounds the making of a connection, unless the configuration brings a
	// Dial of its own. The default is DefaultDialTimeout.
	DialTimeout time.Duration
	// QPS and Burst limit the requests to each target, per second and at once, over
	// all objects and kinds. A negative QPS means no limit. The defaults are DefaultQPS
	// and DefaultBurst. What a configuration says of them does not count.
	QPS   float32
	Burst int
	// IdleTime is how long a client is kept without use. The default is
	// DefaultIdleTime. It should be longer than the period of the checks.
	IdleTime time.Duration
	// MaxTargets is how many targets are kept; if there are more, the one that was not
	// used for longest goes. The default is DefaultMaxTargets.
	MaxTargets int
	// FirstBackoff is how long a target is left alone that did not answer. It doubles
	// with each failure in a row, up to LastBackoff. The defaults are
	// DefaultFirstBackoff and DefaultLastBackoff.
	FirstBackoff, LastBackoff time.Duration
	// Clock tells the time of back-off and idleness. Timeouts are those of the network,
	// and real. The default is the real one.
	Clock clock.WithTicker
}

// complete fills in the defaults.
func (o Options) complete() Options {
	o.Scheme = cmp.Or(o.Scheme, scheme.Scheme)
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.DialTimeout = cmp.Or(o.DialTimeout, DefaultDialTimeout)
	o.QPS = cmp.Or(o.QPS, DefaultQPS)
	o.Burst = cmp.Or(o.Burst, DefaultBurst)
	o.IdleTime = cmp.Or(o.IdleTime, DefaultIdleTime)
	o.MaxTargets = cmp.Or(o.MaxTargets, DefaultMaxTargets)
	o.FirstBackoff = cmp.Or(o.FirstBackoff, DefaultFirstBackoff)
	o.LastBackoff = max(o.FirstBackoff, cmp.Or(o.LastBackoff, DefaultLastBackoff))
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}

// backoff is that of a target that has not failed.
func (o Options) backoff() wait.Backoff {
	const forever = 1 << 30
	return wait.Backoff{Duration: o.FirstBackoff, Factor: 2, Cap: o.LastBackoff, Steps: forever}
}
