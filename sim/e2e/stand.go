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

// Patience bounds every wait. A machine that compiles at the same time is slow, and Cluster API itself sometimes waits
// for 15 or 30 seconds.
const Patience = 3 * time.Minute

// startTime bounds everything before the first test. The binary may have to be compiled while other packages are, too.
const startTime = 10 * time.Minute

// Stand is the environment that the tests of a test binary share.
type Stand struct {
	World   *world.World
	Journal *journal.Journal
	// Binary is the path of Sickbay's binary.
	Binary string

	options Options
	// accounts are the accounts that Sickbay runs as.
	accounts accounts

	// making limits how many clusters are created at once; with too many, all would come up late.
	making chan struct{}
	undo   []func() error
	dir    string
}

// Options say how a stand differs from the default.
type Options struct {
	World world.Options
	// Package is the name of the tests in rights.Claims.
	Package string
	// OpenShift gives Sickbay the rights that it has only on OpenShift.
	OpenShift bool
	// Others are the rights for other parties' remediation kinds.
	Others []rbacv1.PolicyRule
}

// Main runs the tests of a test binary with a stand, which it first passes to use.
func Main(m *testing.M, o Options, use func(*Stand)) (code int) {
	flag.Parse()
	// The default is the number of processors, which suits tests that compute. These tests wait.
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

// clustersAtOnce is how many clusters are created in parallel. Cluster API sometimes waits for 15 seconds, which need not
// delay the others.
const clustersAtOnce = 3

// InTurn runs a function that creates a cluster, a few at a time.
func (s *Stand) InTurn(makeCluster func() error) error {
	s.making <- struct{}{}
	defer func() { <-s.making }()
	return makeCluster()
}

// Cluster creates a cluster and returns when all its machines are up.
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
