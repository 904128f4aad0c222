package soak

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// inflict injects a fault, and returns once it is over or needs no further attention. It returns false if the place already
// has a fault, because a machine has only one at a time.
func (s *soak) inflict(ctx context.Context, f Fault) (bool, error) {
	switch f.Kind {
	case NotReady, Lost, Gone, Flap, Skipped:
		// A resumed watch of an in-memory API server does not report what was deleted in the meantime. A real one does.
		if f.Kind == Gone && s.ledger.blindNow(s.cluster(f.Cluster), s.Allowances) {
			return false, nil
		}
		m, ok := s.roster.take(f.Cluster, f.Machine)
		if !ok {
			return false, nil
		}
		return true, s.inflictOn(ctx, f, m)
	case Storm:
		return true, s.storm(ctx, f)
	case Kill:
		return s.restart(ctx, f)
	case Hang, Pause:
		return s.inflictAlone(ctx, f)
	default:
		return false, fmt.Errorf("unknown kind of fault %q", f.Kind)
	}
}

// inflictOn injects a fault into one machine.
func (s *soak) inflictOn(ctx context.Context, f Fault, m fleet.Machine) error {
	passing := func() error {
		if err := s.sicken(ctx, f.Kind, m, time.Now()); err != nil {
			return err
		}
		return errors.Join(s.wait(ctx, f.Lasts), s.heal(ctx, m))
	}
	switch f.Kind {
	case Flap:
		defer s.roster.free(m)
		return passing()
	case Skipped:
		defer s.roster.free(m)
		machine := &clusterv1.Machine{}
		machine.Namespace, machine.Name = m.Namespace, m.Name
		return s.annotated(ctx, machine, clusterv1.MachineSkipRemediationAnnotation, About{Skip, m.ObjectKey}, passing)
	default:
		return s.sicken(ctx, f.Kind, m, time.Now())
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

// annotated annotates an object while do runs. The fact holds only while the annotation certainly does.
func (s *soak) annotated(ctx context.Context, object client.Object, name string, fact About, do func() error) error {
	if err := s.annotate(ctx, object, name, `"soak"`); err != nil {
		return err
	}
	s.ledger.set(fact, true)
	if err := do(); err != nil {
		return err
	}
	s.ledger.set(fact, false)
	return s.annotate(ctx, object, name, "null")
}

// annotate sets an annotation to a JSON value; null removes it. The object may be gone.
func (s *soak) annotate(ctx context.Context, object client.Object, name, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, name, value)
	err := s.fleet.World.Client().Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(patch)))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotating %T %s: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// wait waits for d, but not beyond the end of the soak.
func (s *soak) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.over:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
