package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// profile profiles a process at rest, and then in a storm. It takes no figures, because profiling costs time, too.
func (s *stand) profile(ctx context.Context, p *subject.Process) error {
	err := s.profiled(ctx, p, "rest", 0, s.plan.Beats, func(ctx context.Context) error {
		_, err := s.beat(ctx)
		return err
	})
	if err != nil || p.Subject == result.Floor {
		return err
	}
	machines := s.stormy()
	return s.profiled(ctx, p, "storm", s.stormDue(machines), stormProfile, func(ctx context.Context) error {
		return s.sickenAtOnce(ctx, p, machines)
	})
}

// stormProfile is how long a process is profiled from the deadline of a storm. It is long enough for Cluster API's controller.
const stormProfile = 25 * time.Second

// sickenAtOnce is a storm without figures.
func (s *stand) sickenAtOnce(ctx context.Context, p *subject.Process, machines []fleet.Machine) error {
	silent := *s
	silent.figures = nil
	if err := silent.storm(ctx, p, machines); err != nil {
		return err
	}
	return silent.recoverFor(ctx, p, machines)
}

// profiled writes profiles of a process while something happens: of the processor for a while after a delay, and of allocations and
// lock waits up to its end.
func (s *stand) profiled(ctx context.Context, p *subject.Process, during string, after, over time.Duration, happen func(context.Context) error) error {
	name := func(kind string) string {
		return filepath.Join(s.plan.Profiles, fmt.Sprintf("%s-%s-%s.%s.pprof", during, p.Subject, s.fleet.Shape, kind))
	}
	written := make(chan error, 1)
	go func() {
		written <- errors.Join(pause(ctx, after), p.Profile(ctx, "profile", name("cpu"), over.Truncate(time.Second)))
	}()
	err := happen(ctx)
	return errors.Join(err, <-written, p.Profile(ctx, "allocs", name("allocs"), 0), p.Profile(ctx, "mutex", name("mutex"), 0))
}
