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

// inflict has a fault happen, and returns when it is over or needs nobody any more. It returns false if the place was taken:
// one thing at a time befalls a machine.
func (s *soak) inflict(ctx context.Context, f Fault) (bool, error) {
	switch f.Kind {
	case NotReady, Lost, Gone:
		m, ok := s.beds.take(f.Cluster, f.Machine)
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
	case Hang, Pause, Kill:
		return s.inflictAlone(ctx, f)
	default:
		return false, fmt.Errorf("nobody knows what %q is", f.Kind)
	}
}

// inflictAlone is for faults of which there is one at a time in a cluster.
func (s *soak) inflictAlone(ctx context.Context, f Fault) (bool, error) {
	where := place{cluster: f.Cluster}
	if f.Kind == Kill {
		where = place{}
	}
	claim := struct {
		Kind
		place
	}{f.Kind, where}
	if _, taken := s.claims.LoadOrStore(claim, true); taken {
		return false, nil
	}
	defer s.claims.Delete(claim)
	return true, map[Kind]func(context.Context, Fault) error{Hang: s.hang, Pause: s.pause, Kill: s.kill}[f.Kind](ctx, f)
}

// sicken makes a machine sick.
func (s *soak) sicken(ctx context.Context, kind Kind, m fleet.Machine, now time.Time) error {
	// Time stamps in the API have whole seconds.
	since := now.Truncate(time.Second)
	if kind == Gone {
		s.clerk.sick(m, kind, now)
		return s.fleet.RemoveNode(ctx, m)
	}
	s.clerk.sick(m, kind, since.Add(fleet.NodeTimeout))
	if kind == Lost {
		return client.IgnoreNotFound(s.fleet.Lose(ctx, m, since))
	}
	return client.IgnoreNotFound(s.fleet.Sicken(ctx, m, since))
}

// heal makes it well again. It may have been replaced in the meantime.
func (s *soak) heal(ctx context.Context, m fleet.Machine) error {
	if err := client.IgnoreNotFound(s.fleet.Heal(ctx, m)); err != nil {
		return err
	}
	s.clerk.healed(m)
	return nil
}

func (s *soak) flap(ctx context.Context, f Fault) (bool, error) {
	m, ok := s.beds.take(f.Cluster, f.Machine)
	if !ok {
		return false, nil
	}
	defer s.beds.free(m)
	if err := s.sicken(ctx, f.Kind, m, time.Now()); err != nil {
		return true, err
	}
	return true, errors.Join(s.wait(ctx, f.Lasts), s.heal(ctx, m))
}

func (s *soak) skip(ctx context.Context, f Fault) (bool, error) {
	m, ok := s.beds.take(f.Cluster, f.Machine)
	if !ok {
		return false, nil
	}
	defer s.beds.free(m)
	machine := &clusterv1.Machine{}
	machine.Namespace, machine.Name = m.Namespace, m.Name
	if err := s.annotate(ctx, machine, clusterv1.MachineSkipRemediationAnnotation, `"soak"`); err != nil {
		return true, err
	}
	s.clerk.set(About{Skip, m.ObjectKey}, true)
	if err := s.sicken(ctx, f.Kind, m, time.Now()); err != nil {
		return true, err
	}
	if err := errors.Join(s.wait(ctx, f.Lasts), s.heal(ctx, m)); err != nil {
		return true, err
	}
	s.clerk.set(About{Skip, m.ObjectKey}, false)
	return true, s.annotate(ctx, machine, clusterv1.MachineSkipRemediationAnnotation, "null")
}

func (s *soak) storm(ctx context.Context, f Fault) error {
	machines := s.beds.takeSome(f.Cluster, f.Machine, s.Shape.Machines*f.Percent/100)
	now := time.Now()
	err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.sicken(ctx, f.Kind, m, now) })
	if err != nil {
		return err
	}
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		defer s.beds.free(m)
		return s.heal(ctx, m)
	})
}

func (s *soak) hang(ctx context.Context, f Fault) error {
	cluster := s.cluster(f.Cluster)
	s.clerk.set(About{Silent, cluster}, true)
	end, err := s.fleet.World.Silence(cluster)
	if err != nil {
		return err
	}
	err = errors.Join(s.wait(ctx, f.Lasts), end())
	s.clerk.set(About{Silent, cluster}, false)
	return err
}

func (s *soak) pause(ctx context.Context, f Fault) error {
	check := &clusterv1.MachineHealthCheck{}
	check.Namespace, check.Name = s.cluster(f.Cluster).Namespace, s.cluster(f.Cluster).Name
	if err := s.annotate(ctx, check, clusterv1.PausedAnnotation, `"soak"`); err != nil {
		return err
	}
	s.clerk.set(About{Paused, s.cluster(f.Cluster)}, true)
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	s.clerk.set(About{Paused, s.cluster(f.Cluster)}, false)
	return s.annotate(ctx, check, clusterv1.PausedAnnotation, "null")
}

func (s *soak) kill(ctx context.Context, f Fault) error {
	if err := s.manager.kill(); err != nil {
		return err
	}
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	return s.manager.start(ctx)
}

// annotate sets an annotation to a JSON value; null takes it away. The object may be gone.
func (s *soak) annotate(ctx context.Context, object client.Object, name, value string) error {
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%s}}}`, name, value)
	err := s.fleet.World.Client().Patch(ctx, object, client.RawPatch(types.MergePatchType, []byte(patch)))
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("annotating %T %s: %w", object, client.ObjectKeyFromObject(object), err)
	}
	return nil
}

// wait waits, but not beyond the end of the soak.
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
