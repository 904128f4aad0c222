package app

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// gatekeeper opens gates when their kinds are installed. It looks once for all gates, so that the cost of waiting does not grow with their
// number.
type gatekeeper struct {
	mgr    ctrl.Manager
	look   func() (meta.RESTMapper, error)
	period time.Duration
	closed []closedGate
}

// closedGate is a gate with its missing kinds, as logged.
type closedGate struct {
	gate
	waitsFor []string
}

// addGates adds the controllers of the gates whose kinds are installed to mgr. For the others, it adds a gatekeeper to mgr that looks again
// after each period.
func addGates(ctx context.Context, mgr ctrl.Manager, gates []gate, period time.Duration) error {
	look, err := newLook(mgr.GetConfig())
	if err != nil {
		return err
	}
	k := &gatekeeper{mgr: mgr, look: look, period: period}
	for _, g := range gates {
		k.closed = append(k.closed, closedGate{gate: g})
	}
	ready, err := k.ready()
	if err != nil {
		return err
	}
	for _, g := range ready {
		if err := g.open(ctx, mgr); err != nil {
			return err
		}
	}
	if len(k.closed) == 0 {
		return nil
	}
	return mgr.Add(k)
}

var _ manager.LeaderElectionRunnable = &gatekeeper{}

// NeedLeaderElection lets a standby open its gates, too, so that its caches are warm.
func (k *gatekeeper) NeedLeaderElection() bool { return false }

// Start opens the gates of the running manager one by one, and returns when all are open.
func (k *gatekeeper) Start(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, k.period, false, func(ctx context.Context) (bool, error) {
		ready, err := k.ready()
		if err != nil {
			k.mgr.GetLogger().V(1).Info("Cannot look for kinds", "err", err)
		}
		for _, g := range ready {
			k.mgr.GetLogger().Info("Controllers start, their kinds are installed", "controllers", g.name)
			if err := g.open(ctx, k.mgr); err != nil {
				return false, err
			}
		}
		return len(k.closed) == 0, nil
	})
	if ctx.Err() != nil {
		// The manager is stopping.
		return nil
	}
	return err
}

// ready removes the gates whose kinds are installed from the closed ones, and returns them. An error concerns other gates.
func (k *gatekeeper) ready() ([]gate, error) {
	installed, err := k.look()
	if err != nil {
		return nil, err
	}
	var ready []gate
	var closed []closedGate
	var errs []error
	for _, g := range k.closed {
		missing, err := k.missing(g.gate, installed)
		switch {
		case err != nil:
			errs = append(errs, err)
			closed = append(closed, g)
		case len(missing) > 0:
			if !slices.Equal(missing, g.waitsFor) {
				k.mgr.GetLogger().Info("Controllers wait for their kinds to be installed", "controllers", g.name, "missing", strings.Join(missing, ", "))
			}
			closed = append(closed, closedGate{g.gate, missing})
		default:
			ready = append(ready, g.gate)
		}
	}
	k.closed = closed
	return ready, errors.Join(errs...)
}

// missing asks the manager's own mapper last, since the controllers use that one. It makes a request for each kind that it does not know;
// and with several API servers, the one that answers may not know a new kind yet.
func (k *gatekeeper) missing(g gate, installed meta.RESTMapper) ([]string, error) {
	missing, err := g.missing(installed)
	if err != nil || len(missing) > 0 {
		return missing, err
	}
	return g.missing(k.mgr.GetRESTMapper())
}
