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
	defaultTimeout      = 10 * time.Second
	defaultDialTimeout  = 5 * time.Second
	defaultQPS          = 50
	defaultBurst        = 100
	defaultIdleTime     = 15 * time.Minute
	defaultMaxTargets   = 1000
	defaultFirstBackoff = 2 * time.Second
	defaultLastBackoff  = 30 * time.Second
)

// Options are the settings of Clients. The zero value has usable defaults.
type Options struct {
	// Scheme contains the kinds that are read as Go types. The default is client-go's, with
	// the kinds of Kubernetes; unstructured objects need none.
	Scheme *runtime.Scheme
	// Timeout is the timeout of each request with its answer, and also that of the wait
	// before it if QPS is exceeded. It should be well below the timeout of a check, or a
	// dead target costs the timeout of the check. The default is 10 seconds.
	Timeout time.Duration
	// DialTimeout is the timeout for connecting, unless the configuration has its own Dial.
	// The default is 5 seconds.
	DialTimeout time.Duration
	// QPS and Burst limit the requests to each target, per second and at once, over all
	// objects and kinds. A negative QPS means no limit. The defaults are 50 and 100. They
	// override those of a configuration.
	QPS   float32
	Burst int
	// IdleTime is how long an unused client is kept. The default is 15 minutes. It should
	// be longer than the period of the checks.
	IdleTime time.Duration
	// MaxTargets is how many targets are kept; to make room for another, the one that has
	// been unused for longest is dropped. The default is 1000.
	MaxTargets int
	// FirstBackoff is how long nothing is sent to a target that did not answer. It doubles
	// with each failure in a row, up to LastBackoff. The defaults are 2 and 30 seconds.
	FirstBackoff, LastBackoff time.Duration
	// Clock tells the time for back-off and idleness. The default is the real one. Timeouts
	// always use real time.
	Clock clock.WithTicker
}

// complete fills in the defaults.
func (o Options) complete() Options {
	o.Scheme = cmp.Or(o.Scheme, scheme.Scheme)
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	o.DialTimeout = cmp.Or(o.DialTimeout, defaultDialTimeout)
	o.QPS = cmp.Or(o.QPS, defaultQPS)
	o.Burst = cmp.Or(o.Burst, defaultBurst)
	o.IdleTime = cmp.Or(o.IdleTime, defaultIdleTime)
	o.MaxTargets = cmp.Or(o.MaxTargets, defaultMaxTargets)
	o.FirstBackoff = cmp.Or(o.FirstBackoff, defaultFirstBackoff)
	o.LastBackoff = max(o.FirstBackoff, cmp.Or(o.LastBackoff, defaultLastBackoff))
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}

// backoff returns the back-off of a target that has not failed.
func (o Options) backoff() wait.Backoff {
	const forever = 1 << 30
	return wait.Backoff{Duration: o.FirstBackoff, Factor: 2, Cap: o.LastBackoff, Steps: forever}
}
