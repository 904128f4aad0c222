package soak

import (
	"context"
	"fmt"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// owner replaces machines that are marked for remediation.
type owner struct {
	fleet  *fleet.Fleet
	roster *roster
	ledger *Ledger
	queue  workqueue.TypedInterface[client.ObjectKey]
}

// ask makes it replace a Machine.
func (o *owner) ask(name client.ObjectKey) { o.queue.Add(name) }

// work replaces machines until the owner is stopped.
func (o *owner) work(ctx context.Context) error {
	for {
		name, stopped := o.queue.Get()
		if stopped {
			return nil
		}
		err := o.replace(ctx, name)
		o.queue.Done(name)
		if err != nil {
			return fmt.Errorf("replacing machine %s: %w", name, err)
		}
	}
}

func (o *owner) stop() { o.queue.ShutDown() }

func (o *owner) replace(ctx context.Context, name client.ObjectKey) error {
	m, ok := o.roster.find(name)
	if !ok {
		return nil
	}
	o.ledger.released(m)
	if err := o.fleet.Remove(ctx, m); err != nil {
		return err
	}
	next := successor(m)
	if err := o.fleet.Add(ctx, next); err != nil {
		return err
	}
	o.roster.replace(m, next)
	return nil
}
