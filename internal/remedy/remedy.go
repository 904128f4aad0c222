package remedy

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Kind names a remedy.
type Kind string

const (
	// Owner leaves the Machine to the controller that owns it.
	Owner Kind = "owner"
	// Delete deletes the Machine.
	Delete Kind = "delete"
	// Request creates a remediation request from a template.
	Request Kind = "request"
	// Reboot asks for a power cycle of the host.
	Reboot Kind = "reboot"
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
	return Cabinet{
		Owner:   owner{c, clock},
		Delete:  deletion{c},
		Request: request{c, live},
		Reboot:  reboot{c, clock},
	}
}

// Apply carries out the remedy of the given kind.
func (c Cabinet) Apply(ctx context.Context, kind Kind, patient Patient) (string, error) {
	remedy, ok := c[kind]
	if !ok {
		return "", fmt.Errorf("there is no remedy %q", kind)
	}
	return remedy.Apply(ctx, patient)
}

// Choose returns the remedy for a Machine: a request if the MachineHealthCheck has
// a template, else the strategy annotated on it, else its owner if it has one,
// else deletion.
func Choose(mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine, strategy Kind) Kind {
	if mhc.Spec.Remediation.TemplateRef.IsDefined() {
		return Request
	}
	if strategy != "" {
		return strategy
	}
	if metav1.GetControllerOfNoCopy(machine) != nil {
		return Owner
	}
	return Delete
}
