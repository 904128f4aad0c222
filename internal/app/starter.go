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

// starter starts parts when their kinds are installed. It looks once for all parts, so that the cost of waiting does not grow with their
// number.
type starter struct {
	mgr     ctrl.Manager
	look    func() (meta.RESTMapper, error)
	period  time.Duration
	waiting []waitingPart
}

// waitingPart is a part with its missing kinds, as logged.
type waitingPart struct {
	part
	waitsFor []string
}

// addParts adds the controllers of the parts whose kinds are installed to mgr. For the others, it adds a starter to mgr that looks again
// after each period.
func addParts(ctx context.Context, mgr ctrl.Manager, parts []part, period time.Duration) error {
	look, err := newLook(mgr.GetConfig())
	if err != nil {
		return err
	}
	s := &starter{mgr: mgr, look: look, period: period}
	for _, p := range parts {
		s.waiting = append(s.waiting, waitingPart{part: p})
	}
	ready, err := s.ready()
	if err != nil {
		return err
	}
	for _, p := range ready {
		if err := p.start(ctx, mgr); err != nil {
			return err
		}
	}
	if len(s.waiting) == 0 {
		return nil
	}
	return mgr.Add(s)
}

var _ manager.LeaderElectionRunnable = &starter{}

// NeedLeaderElection lets a standby start its parts, too, so that its caches are warm.
func (s *starter) NeedLeaderElection() bool { return false }

// Start starts the parts of the running manager one by one, and returns when all have started.
func (s *starter) Start(ctx context.Context) error {
	err := wait.PollUntilContextCancel(ctx, s.period, false, func(ctx context.Context) (bool, error) {
		ready, err := s.ready()
		if err != nil {
			s.mgr.GetLogger().V(1).Info("Cannot look for kinds", "err", err)
		}
		for _, p := range ready {
			s.mgr.GetLogger().Info("Controllers start, their kinds are installed", "controllers", p.name)
			if err := p.start(ctx, s.mgr); err != nil {
				return false, err
			}
		}
		return len(s.waiting) == 0, nil
	})
	if ctx.Err() != nil {
		// The manager is stopping.
		return nil
	}
	return err
}

// ready removes the parts whose kinds are installed from the waiting ones, and returns them. An error concerns other parts.
func (s *starter) ready() ([]part, error) {
	installed, err := s.look()
	if err != nil {
		return nil, err
	}
	var ready []part
	var waiting []waitingPart
	var errs []error
	for _, p := range s.waiting {
		missing, err := s.missing(p.part, installed)
		switch {
		case err != nil:
			errs = append(errs, err)
			waiting = append(waiting, p)
		case len(missing) > 0:
			if !slices.Equal(missing, p.waitsFor) {
				s.mgr.GetLogger().Info("Controllers wait for their kinds to be installed", "controllers", p.name, "missing", strings.Join(missing, ", "))
			}
			waiting = append(waiting, waitingPart{p.part, missing})
		default:
			ready = append(ready, p.part)
		}
	}
	s.waiting = waiting
	return ready, errors.Join(errs...)
}

// missing asks the manager's own mapper last, since the controllers use that one. It makes a request for each kind that it does not know;
// and with several API servers, the one that answers may not know a new kind yet.
func (s *starter) missing(p part, installed meta.RESTMapper) ([]string, error) {
	missing, err := p.missing(installed)
	if err != nil || len(missing) > 0 {
		return missing, err
	}
	return p.missing(s.mgr.GetRESTMapper())
}
