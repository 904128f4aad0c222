package measure

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/fleet"
	"github.com/sickbay-dev/sickbay/sim/bench/result"
	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// patience is how long anything may take. Cluster API's controller has been seen to need minutes.
const patience = 5 * time.Minute

// stand is a fleet with whoever looks at it.
type stand struct {
	plan     Plan
	fleet    *fleet.Fleet
	observer *fleet.Observer
	runner   *subject.Runner
	log      *slog.Logger
	random   *rand.Rand
	figures  []result.Figure
}

// Run carries out a plan. Dir is for files that are needed meanwhile, noise gets what subjects and API servers say.
func Run(ctx context.Context, plan Plan, runner subject.Runner, dir string, log *slog.Logger, noise io.Writer) ([]result.Figure, error) {
	var figures []result.Figure
	for _, shape := range plan.Fleets {
		if least := plan.Alone*plan.PerSecond + shape.Size()/stormShare; shape.Size() < least {
			return figures, fmt.Errorf("a fleet of %d machines is too small: %d of them fall sick", shape.Size(), least)
		}
		measured, err := runFleet(ctx, plan, shape, runner, dir, log, noise)
		figures = append(figures, measured...)
		if err != nil {
			return figures, fmt.Errorf("measuring %d clusters of %d machines: %w", shape.Clusters, shape.Machines, err)
		}
	}
	return figures, nil
}

func runFleet(ctx context.Context, plan Plan, shape result.Fleet, runner subject.Runner, dir string, log *slog.Logger, noise io.Writer) (figures []result.Figure, err error) {
	ctx, end := context.WithCancel(ctx)
	defer end()
	log = log.With("clusters", shape.Clusters, "machines", shape.Machines)
	log.Info("Making the fleet")
	f, err := fleet.Start(ctx, shape, noise)
	if err != nil {
		return nil, err
	}
	defer func() {
		// The observer first: an API server waits for those who watch, until it is killed.
		end()
		_ = f.Stop(context.WithoutCancel(ctx))
	}()
	s := &stand{plan: plan, fleet: f, log: log, random: rand.New(rand.NewPCG(1, 2))}
	if s.observer, err = f.Observe(ctx); err != nil {
		return nil, err
	}
	if s.runner, err = runner.Beside(ctx, f.World, dir); err != nil {
		return nil, err
	}
	for _, who := range plan.subjects(shape) {
		if err := s.subject(ctx, who); err != nil {
			return s.figures, fmt.Errorf("measuring %s: %w", who, err)
		}
	}
	return s.figures, nil
}

// take notes a value of a round.
func (s *stand) take(m result.Measure, who result.Subject, value float64) {
	for i := range s.figures {
		f := &s.figures[i]
		if f.Measure == m && f.Subject == who {
			f.Values = append(f.Values, value)
			return
		}
	}
	s.figures = append(s.figures, result.Figure{Measure: m, Fleet: s.fleet.Shape, Subject: who, Values: []float64{value}})
}

// takeRequests notes how many requests of each verb there were, times a factor, and returns how many that is in all. What was
// created is counted in the API: see subject.Usage.
func (s *stand) takeRequests(during result.Phase, who result.Subject, used subject.Usage, factor float64) (all float64) {
	for _, verb := range result.Verbs() {
		n := used.Requests[verb]
		if verb == http.MethodPost {
			n = used.Created()
		}
		s.take(result.Requests(during, verb), who, n*factor)
		all += n * factor
	}
	return all
}

// some returns n machines that are far from each other in the fleet.
func (s *stand) some(n int) []fleet.Machine {
	n = max(n, 1)
	picked := make([]fleet.Machine, n)
	for i, at := range s.random.Perm(len(s.fleet.Machines))[:n] {
		picked[i] = s.fleet.Machines[at]
	}
	return picked
}
