package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/rights"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Patience is how long anything may take that must happen. A machine that compiles at the same time is slow, and
// Cluster API itself now and then waits for 15 or 30 seconds.
const Patience = 3 * time.Minute

// startTime is how long all may take that comes before the first test: the binary may have to be compiled, while the
// packages beside this one are.
const startTime = 10 * time.Minute

// Stand is what the tests of a test binary share.
type Stand struct {
	World   *world.World
	Journal *journal.Journal
	// Binary is the path of Sickbay's.
	Binary string

	options Options
	// accounts are those that Sickbay runs as, by their names.
	accounts accounts

	// making lets a few clusters be made at once; side by side they would all come up late.
	making chan struct{}
	undo   []func() error
	dir    string
}

// Options say how a stand differs from the usual one.
type Options struct {
	World world.Options
	// Package is what the tests are called in rights.Claims.
	Package string
	// OpenShift gives Sickbay the rights that it has on OpenShift only.
	OpenShift bool
	// Others are the remediation kinds of others that Sickbay may use.
	Others []rbacv1.PolicyRule
}

// Main runs the tests of a test binary at a stand, which use receives before.
func Main(m *testing.M, o Options, use func(*Stand)) (code int) {
	flag.Parse()
	// The default is the number of processors, which suits tests that compute. These wait.
	if err := flag.Set("test.parallel", "16"); err != nil {
		fmt.Fprintln(os.Stderr, "letting the tests run side by side:", err)
		return 1
	}
	s := &Stand{options: o, making: make(chan struct{}, clustersAtOnce)}
	defer func() {
		if err := s.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "taking down the stand:", err)
			code = 1
		}
		if code != 0 {
			fmt.Fprintln(os.Stderr, "The log of the world, and of each Sickbay in this process, is in", s.dir)
			return
		}
		_ = os.RemoveAll(s.dir)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := s.start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "putting up the stand:", err)
		return 1
	}
	use(s)
	code = m.Run()
	if err := s.checkRights(code == 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func (s *Stand) start(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "sickbay-e2e-")
	if err != nil {
		return fmt.Errorf("creating a directory: %w", err)
	}
	s.dir = dir
	log, err := os.Create(filepath.Join(dir, "world.log"))
	if err != nil {
		return fmt.Errorf("creating the world's log: %w", err)
	}
	s.undo = append(s.undo, log.Close)
	o := s.options.World
	o.Log = log
	if o.APIServerArgs, err = rights.AuditArgs(dir); err != nil {
		return err
	}
	if s.Binary, err = sickbay.Build(ctx, dir); err != nil {
		return err
	}
	if s.World, err = world.Start(ctx, o); err != nil {
		return fmt.Errorf("starting the world: %w", err)
	}
	s.undo = append(s.undo, func() error { return s.World.Stop(context.WithoutCancel(ctx)) })
	reading, closeJournal := context.WithCancel(context.WithoutCancel(ctx))
	s.undo = append(s.undo, func() error { closeJournal(); return nil })
	s.Journal, err = journal.Open(reading, s.World)
	return err
}

func (s *Stand) stop() error {
	var errs []error
	for _, undo := range slices.Backward(s.undo) {
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}

// clustersAtOnce are made side by side: now and then Cluster API waits for 15 seconds, which need not hold up the others.
const clustersAtOnce = 3

// InTurn runs what makes a cluster, a few at once.
func (s *Stand) InTurn(makeCluster func() error) error {
	s.making <- struct{}{}
	defer func() { <-s.making }()
	return makeCluster()
}

// Cluster makes a cluster and returns when all its machines are up.
func (s *Stand) Cluster(t testing.TB, spec world.ClusterSpec) {
	t.Helper()
	err := s.InTurn(func() error {
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		if err := s.World.CreateCluster(ctx, spec); err != nil {
			return err
		}
		return s.World.WaitReady(ctx, spec.Key())
	})
	if err != nil {
		t.Fatalf("making cluster %s: %v", spec.Key(), err)
	}
}
