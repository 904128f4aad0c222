package remedy

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kind names a remedy.
type Kind string

const (
	// Owner leaves the Machine to the controller that owns it.
	Owner Kind = "owner"
	// Request creates a remediation request from a template.
	Request Kind = "request"
)

// Patient is a Machine about to get a remedy, as it was just read live.
type Patient struct {
	Machine *clusterv1.Machine
	// MachineHealthCheck is the one that the Machine belongs to.
	MachineHealthCheck *clusterv1.MachineHealthCheck
}

// ErrGone says that the Machine does not exist any more, so that nothing was done.
var ErrGone = errors.New("the machine is gone")

// Remedy is one way to repair a Machine. Apply carries it out and says in one
// phrase what was done. It may be called again after a crash.
type Remedy interface {
	Apply(ctx context.Context, patient Patient) (done string, err error)
}

// Cabinet holds all remedies by kind.
type Cabinet map[Kind]Remedy

// NewCabinet returns all remedies. Live reads past the cache.
func NewCabinet(c client.Client, live client.Reader, clock clock.PassiveClock) Cabinet {
	return Cabinet{Owner: owner{c, clock}, Request: request{c, live}}
}

// Apply carries out the remedy of the given kind.
func (c Cabinet) Apply(ctx context.Context, kind Kind, patient Patient) (string, error) {
	remedy, ok := c[kind]
	if !ok {
		return "", fmt.Errorf("there is no remedy %q", kind)
	}
	return remedy.Apply(ctx, patient)
}
