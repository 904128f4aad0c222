package soak

import (
	"context"
	"errors"
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// inflict injects a fault, and returns once it is over or needs no further attention. It returns false if the place already
// has a fault, because a machine has only one at a time.
func (s *soak) inflict(ctx context.Context, f Fault) (bool, error) {
	switch f.Kind {
	case NotReady, Lost, Gone:
		// A resumed watch of an in-memory API server does not report what was deleted in the meantime. A real one does.
		if f.Kind == Gone && s.ledger.blind(s.cluster(f.Cluster), s.Allowances) {
			return false, nil
		}
		m, ok := s.roster.take(f.Cluster, f.Machine)
		if !ok {
			return false, nil
		}
		return true, s.sicken(ctx, f.Kind, m, time.Now())
	case Flap:
		return s.flap(ctx, f)
	case Skipped:
		return s.skip(ctx, f)
	case Storm:
		return true, s.storm(ctx, f)
	case Kill:
		return s.restart(ctx, f)
	case Hang, Pause:
		return s.inflictAlone(ctx, f)
	default:
		return false, fmt.Errorf("nobody knows what %q is", f.Kind)
	}
}

// sicken makes a machine sick.
func (s *soak) sicken(ctx context.Context, kind Kind, m fleet.Machine, now time.Time) error {
	// Timestamps in the API have whole seconds.
	since := now.Truncate(time.Second)
	if kind == Gone {
		s.ledger.sick(m, kind, now)
		return s.fleet.RemoveNode(ctx, m)
	}
	s.ledger.sick(m, kind, since.Add(fleet.NodeTimeout))
	if kind == Lost {
		return client.IgnoreNotFound(s.fleet.Lose(ctx, m, since))
	}
	return client.IgnoreNotFound(s.fleet.Sicken(ctx, m, since))
}

// heal makes the machine healthy again. It may have been replaced in the meantime.
func (s *soak) heal(ctx context.Context, m fleet.Machine) error {
	if err := client.IgnoreNotFound(s.fleet.Heal(ctx, m)); err != nil {
		return err
	}
	s.ledger.healed(m)
	return nil
}

func (s *soak) flap(ctx context.Context, f Fault) (bool, error) {
	m, ok := s.roster.take(f.Cluster, f.Machine)
	if !ok {
		return false, nil
	}
	defer s.roster.free(m)
	if err := s.sicken(ctx, f.Kind, m, time.Now()); err != nil {
		return true, err
	}
	return true, errors.Join(s.wait(ctx, f.Lasts), s.heal(ctx, m))
}

func (s *soak) skip(ctx context.Context, f Fault) (bool, error) {
	m, ok := s.roster.take(f.Cluster, f.Machine)
	if !ok {
		return false, nil
	}
	defer s.roster.free(m)
	machine := &clusterv1.Machine{}
	machine.Namespace, machine.Name = m.Namespace, m.Name
	if err := s.annotate(ctx, machine, clusterv1.MachineSkipRemediationAnnotation, `"soak"`); err != nil {
		return true, err
	}
	s.ledger.set(About{Skip, m.ObjectKey}, true)
	if err := s.sicken(ctx, f.Kind, m, time.Now()); err != nil {
		return true, err
	}
	if err := errors.Join(s.wait(ctx, f.Lasts), s.heal(ctx, m)); err != nil {
		return true, err
	}
	s.ledger.set(About{Skip, m.ObjectKey}, false)
	return true, s.annotate(ctx, machine, clusterv1.MachineSkipRemediationAnnotation, "null")
}
