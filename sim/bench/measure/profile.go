package measure

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/sim/bench/subject"
)

// profileRest has Nodes beat for as long as in a round, and writes down what the process does meanwhile. It takes no figures:
// to be watched takes time, too.
func (s *stand) profileRest(ctx context.Context, p *subject.Process) error {
	if s.plan.Profiles == "" {
		return nil
	}
	name := func(kind string) string {
		return filepath.Join(s.plan.Profiles, fmt.Sprintf("rest-%s-%s.%s.pprof", p.Subject, s.fleet.Shape, kind))
	}
	written := make(chan error, 1)
	go func() { written <- p.Profile(ctx, "profile", name("cpu"), s.plan.Beats.Truncate(time.Second)) }()
	_, err := s.beat(ctx)
	return errors.Join(err, <-written, p.Profile(ctx, "allocs", name("allocs"), 0))
}
