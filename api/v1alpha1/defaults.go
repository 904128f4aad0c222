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

// TaintsNode reports whether somebody asked for the Node to be tainted rather than deleted.
func (s RebootSettings) TaintsNode() bool { return s.Isolation == OutOfServiceTaint }

func seconds(n *int32, otherwise time.Duration) time.Duration {
	if n == nil || *n <= 0 {
		return otherwise
	}
	return time.Duration(*n) * time.Second
}
