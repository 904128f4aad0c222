package soak

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	// NotReady, Lost and Gone stay until the machine is replaced.
	NotReady Kind = "Node not ready"
	Lost     Kind = "Node unknown"
	Gone     Kind = "Node deleted"
	// Flap ends before its deadline.
	Flap Kind = "Node not ready for a moment"
	// Storm makes many machines of a cluster sick at once. Those that are not replaced recover.
	Storm Kind = "Nodes not ready, many in a cluster"
	// Hang makes the API server of a workload cluster hang.
	Hang Kind = "cluster silent"
)

// draws says how likely each fault is.
var draws = []struct {
	kind   Kind
	weight int
}{{NotReady, 26}, {Lost, 18}, {Gone, 18}, {Flap, 26}, {Storm, 6}, {Hang, 6}}

// inflictAll injects faults, one per interval on average, until their time is over and the last one has ended.
func (s *soak) inflictAll(ctx context.Context) error {
	over, cancel := context.WithTimeout(ctx, s.Duration)
	defer cancel()
	group, together := errgroup.WithContext(ctx)
	for wait(over, time.Duration(s.random.Int64N(int64(2*s.Every)))) {
		kind, cluster := s.draw()
		machines := s.pool.take(cluster, s.random.IntN(s.Shape.Machines), s.size(kind))
		lasts := time.Second + time.Duration(s.random.Int64N(int64(30*time.Second)))
		if kind != Hang && len(machines) == 0 {
			continue
		}
		s.report.Inflicted[kind]++
		group.Go(func() error { return s.inflict(together, over, kind, cluster, machines, lasts) })
	}
	return errors.Join(ctx.Err(), group.Wait())
}

// draw draws a kind and the index of a cluster. In clusters with an even number Nodes are deleted, and the others hang: a watch of an in-memory API
// server that is resumed does not report what was deleted meanwhile. A real one does.
func (s *soak) draw() (Kind, int) {
	pick, cluster := s.random.IntN(100), s.random.IntN(s.Shape.Clusters)
	kind := NotReady
	for _, d := range draws {
		if kind = d.kind; pick < d.weight {
			break
		}
		pick -= d.weight
	}
	switch kind {
	case Gone:
		return kind, cluster &^ 1
	case Hang:
		return kind, min(cluster|1, s.Shape.Clusters-1)
	default:
		return kind, cluster
	}
}

// size draws how many machines a fault hits: a storm between 10% and 60% of a cluster.
func (s *soak) size(kind Kind) int {
	switch kind {
	case Storm:
		return s.Shape.Machines * (10 + s.random.IntN(51)) / 100
	case Hang:
		return 0
	default:
		return 1
	}
}

// inflict injects a fault. What passes by itself ends in time, or once faults are over.
func (s *soak) inflict(ctx, over context.Context, kind Kind, cluster int, machines []fleet.Machine, lasts time.Duration) error {
	if kind == Hang {
		end, err := s.fleet.World.Silence(s.pool.cluster(cluster))
		if err != nil {
			return err
		}
		wait(over, lasts)
		return end()
	}
	now := time.Now()
	if err := fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error { return s.sicken(ctx, kind, m, now) }); err != nil {
		return err
	}
	switch kind {
	case Flap:
		// The deadline is fleet.NodeTimeout after a timestamp in whole seconds.
		wait(over, time.Second+lasts/15)
	case Storm:
		wait(over, lasts)
	default:
		// Its owner frees the place of the machine.
		return nil
	}
	return fleet.Each(ctx, machines, func(ctx context.Context, m fleet.Machine) error {
		defer s.pool.free(m)
		// It may have been replaced meanwhile.
		return client.IgnoreNotFound(s.fleet.Heal(ctx, m))
	})
}

func (s *soak) sicken(ctx context.Context, kind Kind, m fleet.Machine, now time.Time) error {
	since := now.Truncate(time.Second)
	switch kind {
	case Gone:
		return s.fleet.RemoveNode(ctx, m)
	case Lost:
		return client.IgnoreNotFound(s.fleet.Lose(ctx, m, since))
	default:
		return client.IgnoreNotFound(s.fleet.Sicken(ctx, m, since))
	}
}

// wait waits for d, and reports whether ctx has not ended before.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
