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
	"github.com/sickbay-dev/sickbay/sim/world"
)

// inflictAlone injects a fault of which a cluster has only one at a time.
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

func (s *soak) storm(ctx context.Context, f Fault) error {
	machines := s.roster.takeSome(f.Cluster, f.Machine, s.Shape.Machines*f.Percent/100)
	now := time.Now()
	err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.sicken(ctx, f.Kind, m, now) })
	if err != nil {
		return err
	}
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		defer s.roster.free(m)
		return s.heal(ctx, m)
	})
}

func (s *soak) hang(ctx context.Context, f Fault) error {
	cluster := s.cluster(f.Cluster)
	s.ledger.set(About{Silent, cluster}, true)
	end, err := s.fleet.World.Silence(cluster)
	if err != nil {
		return err
	}
	err = errors.Join(s.wait(ctx, f.Lasts), end())
	s.ledger.set(About{Silent, cluster}, false)
	return err
}

func (s *soak) pause(ctx context.Context, f Fault) error {
	check := &clusterv1.MachineHealthCheck{}
	check.Namespace, check.Name = s.cluster(f.Cluster).Namespace, s.cluster(f.Cluster).Name
	if err := s.annotate(ctx, check, clusterv1.PausedAnnotation, `"soak"`); err != nil {
		return err
	}
	s.ledger.set(About{Paused, s.cluster(f.Cluster)}, true)
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	s.ledger.set(About{Paused, s.cluster(f.Cluster)}, false)
	return s.annotate(ctx, check, clusterv1.PausedAnnotation, "null")
}

// kill kills the manager, and starts it again.
func (s *soak) kill(ctx context.Context, f Fault) error {
	if err := s.manager.kill(); err != nil {
		return err
	}
	if err := s.wait(ctx, f.Lasts); err != nil {
		return err
	}
	return s.manager.start(ctx)
}

// restart kills the manager, and starts it again. Until it leads and has its connections back, nothing is expected in time. It may be
// killed again meanwhile.
func (s *soak) restart(ctx context.Context, f Fault) (bool, error) {
	killed := time.Now()
	done, err := s.inflictAlone(ctx, f)
	if done && err == nil {
		err = s.connect(ctx)
		s.told.Excuse(killed, time.Now())
	}
	return done, err
}

// connect waits until the manager leads and reads all workload clusters. It gives up after the time that finding out about silent
// clusters takes.
func (s *soak) connect(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, s.Allowances.Reconnect)
	defer cancel()
	err := world.Poll(waiting, func(ctx context.Context) error { return s.manager.connected(ctx, s.Shape.Clusters) })
	if ctx.Err() != nil {
		return err
	}
	return nil
}

// freeze freezes the manager in the middle of the soak, if planted. Nothing excuses the delays that this causes.
func (s *soak) freeze(ctx context.Context) error {
	if s.frozen == 0 {
		return nil
	}
	return errors.Join(s.wait(ctx, s.Duration/2), s.manager.freeze(func() error { return s.wait(ctx, s.frozen) }))
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
