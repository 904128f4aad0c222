package v1alpha1

import "time"

// The defaults of RebootSettings, as in the CustomResourceDefinitions; the functions below apply them to
// objects that were made without those.
const (
	DefaultRetryLimit      = 1
	DefaultPowerOffTimeout = 10 * time.Minute
	DefaultPowerOnTimeout  = 10 * time.Minute
	DefaultNodeTimeout     = 20 * time.Minute
)

// Attempts returns how many cycles there may be in all, at least one.
func (s RebootSettings) Attempts() int32 {
	if s.RetryLimit == nil {
		return DefaultRetryLimit + 1
	}
	return max(0, *s.RetryLimit) + 1
}

// PowerOffTimeout returns how long the host may take to be proven off.
func (s RebootSettings) PowerOffTimeout() time.Duration {
	return seconds(s.PowerOffTimeoutSeconds, DefaultPowerOffTimeout)
}

// PowerOnTimeout returns how long the host may take to come on.
func (s RebootSettings) PowerOnTimeout() time.Duration {
	return seconds(s.PowerOnTimeoutSeconds, DefaultPowerOnTimeout)
}

// NodeTimeout returns how long the Node may take to come back.
func (s RebootSettings) NodeTimeout() time.Duration {
	return seconds(s.NodeTimeoutSeconds, DefaultNodeTimeout)
}

// aroundCycle is what a power cycle takes beside its own timeouts: the proof that a host is off that was off before, and the release of the Node.
const aroundCycle = 5 * time.Minute

// LongestCycle returns how long one cycle may take until the machine is healthy: the Node may take its time to come back, to be Ready, and to be
// healthy. It is at most a week.
func (s RebootSettings) LongestCycle() time.Duration {
	const week = 7 * 24 * time.Hour
	return min(week, s.PowerOffTimeout()+s.PowerOnTimeout()+3*s.NodeTimeout()+aroundCycle)
}

// TaintsNode reports whether somebody asked for the Node to be tainted rather than deleted.
func (s RebootSettings) TaintsNode() bool { return s.Isolation == OutOfServiceTaint }

func seconds(n *int32, otherwise time.Duration) time.Duration {
	if n == nil || *n <= 0 {
		return otherwise
	}
	return time.Duration(*n) * time.Second
}
