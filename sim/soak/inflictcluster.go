package soak

import (
	"context"
	"errors"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// inflictAlone injects a fault of which a cluster has only one at a time.
func (s *soak) inflictAlone(ctx context.Context, f Fault) (bool, error) {
	claim := Fault{Kind: f.Kind, Cluster: f.Cluster}
	if f.Kind == Kill {
		claim.Cluster = 0 // there is only one manager
	}
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
	cluster, check := s.cluster(f.Cluster), &clusterv1.MachineHealthCheck{}
	check.Namespace, check.Name = cluster.Namespace, cluster.Name
	return s.annotated(ctx, check, clusterv1.PausedAnnotation, About{Paused, cluster}, func() error { return s.wait(ctx, f.Lasts) })
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
		s.forecasts.Excuse(killed, time.Now())
	}
	return done, err
}

// connect waits until the manager leads and reads all workload clusters. It gives up after the time that finding out about silent
// clusters takes.
func (s *soak) connect(ctx context.Context) error {
	return poll(ctx, s.Allowances.Reconnect, func(ctx context.Context) error { return s.manager.connected(ctx, s.Shape.Clusters) })
}
