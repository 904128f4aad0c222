package measure

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// patience bounds every wait. Cluster API's controller sometimes needs minutes, and so does an API server that gets a write
// for each machine.
func (s *stand) patience() time.Duration {
	const machinesPerSecond = 50
	return 5*time.Minute + time.Duration(s.fleet.Shape.Size()/machinesPerSecond)*time.Second
}

// stand is a fleet with its observer and subjects.
type stand struct {
	plan     Plan
	fleet    *fleet.Fleet
	observer *fleet.Observer
	runner   *subject.Runner
	log      *slog.Logger
	random   *rand.Rand
	dir      string
	figures  map[result.Key][]float64
}

// limit lets all machines be remediated at once, because the benchmark measures how fast that is, not whether it happens.
const limit = "100%"

// Run carries out a plan, and adds up figures, also until it fails. Dir is for temporary files; noise receives the output of subjects and API servers.
func Run(ctx context.Context, plan Plan, runner subject.Runner, figures map[result.Key][]float64, dir string, log *slog.Logger, noise io.Writer) error {
	for _, shape := range plan.Fleets {
		if least := plan.Alone*plan.PerSecond + shape.Largest()/stormShare; shape.Size() < least {
			return fmt.Errorf("a fleet of %d machines is too small: %d of them fall sick", shape.Size(), least)
		}
		s := &stand{plan: plan, log: log.With("fleet", shape), random: rand.New(rand.NewPCG(1, 2)), dir: dir, figures: figures}
		if err := s.run(ctx, shape, runner, noise); err != nil {
			return fmt.Errorf("measuring fleet %s: %w", shape, err)
		}
	}
	return nil
}

func (s *stand) run(ctx context.Context, shape result.Fleet, runner subject.Runner, noise io.Writer) (err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	s.log.Info("Making the fleet")
	if s.fleet, err = fleet.Start(ctx, shape, limit, noise); err != nil {
		return err
	}
	defer func() {
		// End the observer first, because an API server that stops waits for its watches.
		end()
		_ = s.fleet.World.Stop(context.WithoutCancel(ctx))
	}()
	if s.observer, err = s.fleet.Observe(ctx); err != nil {
		return err
	}
	if s.runner, err = runner.Beside(ctx, s.fleet.World, s.dir); err != nil {
		return err
	}
	for i, who := range s.plan.Subjects {
		// The floor writes no verdicts of its own.
		if i > 0 && who != result.Floor {
			if err := fleet.Each(ctx, s.fleet.Machines, s.fleet.Forget); err != nil {
				return err
			}
		}
		if err := s.subject(ctx, who); err != nil {
			return fmt.Errorf("measuring %s: %w", who, err)
		}
	}
	return nil
}

// some returns n machines that are far apart in the fleet.
func (s *stand) some(n int) []fleet.Machine { return s.someOf(s.fleet.Machines, n) }

func (s *stand) someOf(machines []fleet.Machine, n int) []fleet.Machine {
	n = max(n, 1)
	picked := make([]fleet.Machine, n)
	for i, at := range s.random.Perm(len(machines))[:n] {
		picked[i] = machines[at]
	}
	return picked
}

// stormy returns the machines of a storm: a tenth of the large cluster, or of the fleet if there is none.
func (s *stand) stormy() []fleet.Machine {
	of := s.fleet.Large()
	if len(of) == 0 {
		of = s.fleet.Machines
	}
	return s.someOf(of, len(of)/stormShare)
}

// pause waits for d.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
