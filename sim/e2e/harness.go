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
const Patience = 8 * time.Minute

// startTime bounds everything before the first test. The binary may have to be compiled while other packages are, too.
const startTime = 10 * time.Minute

// Harness is the environment that the tests of a test binary share.
type Harness struct {
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

// Options say how a harness differs from the default.
type Options struct {
	World world.Options
	// Package is the name of the tests in rights.Claims.
	Package string
	// OpenShift gives Sickbay the rights that it has only on OpenShift.
	OpenShift bool
	// Others are the rights for other parties' remediation kinds.
	Others []rbacv1.PolicyRule
}

// Main runs the tests of a test binary with a harness, which it first passes to use.
func Main(m *testing.M, o Options, use func(*Harness)) (code int) {
	flag.Parse()
	// The default is the number of processors, which suits tests that compute. These tests wait.
	if err := flag.Set("test.parallel", "16"); err != nil {
		fmt.Fprintln(os.Stderr, "letting the tests run side by side:", err)
		return 1
	}
	h := &Harness{options: o, making: make(chan struct{}, clustersAtOnce)}
	defer func() {
		if err := h.stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the harness:", err)
			code = 1
		}
		if code != 0 {
			fmt.Fprintln(os.Stderr, "The log of the world, and of each Sickbay in this process, is in", h.dir)
			return
		}
		_ = os.RemoveAll(h.dir)
	}()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	if err := h.start(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "starting the harness:", err)
		return 1
	}
	use(h)
	code = m.Run()
	if err := h.checkRights(code == 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func (h *Harness) start(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "sickbay-e2e-")
	if err != nil {
		return fmt.Errorf("creating a directory: %w", err)
	}
	h.dir = dir
	log, err := os.Create(filepath.Join(dir, "world.log"))
	if err != nil {
		return fmt.Errorf("creating the world's log: %w", err)
	}
	h.undo = append(h.undo, log.Close)
	o := h.options.World
	o.Log = log
	if o.APIServerArgs, err = rights.AuditArgs(dir); err != nil {
		return err
	}
	if h.Binary, err = sickbay.Build(ctx, dir); err != nil {
		return err
	}
	if h.World, err = world.Start(ctx, o); err != nil {
		return fmt.Errorf("starting the world: %w", err)
	}
	h.undo = append(h.undo, func() error { return h.World.Stop(context.WithoutCancel(ctx)) })
	reading, closeJournal := context.WithCancel(context.WithoutCancel(ctx))
	h.undo = append(h.undo, func() error { closeJournal(); return nil })
	h.Journal, err = journal.Open(reading, h.World)
	return err
}

func (h *Harness) stop() error {
	var errs []error
	for _, undo := range slices.Backward(h.undo) {
		errs = append(errs, undo())
	}
	return errors.Join(errs...)
}

// clustersAtOnce is how many clusters are created in parallel. Cluster API sometimes waits for 15 seconds, which need not
// delay the others.
const clustersAtOnce = 3

// InTurn runs a function that creates a cluster, a few at a time.
func (h *Harness) InTurn(makeCluster func() error) error {
	h.making <- struct{}{}
	defer func() { <-h.making }()
	return makeCluster()
}

// Cluster creates a cluster and returns when all its machines are up.
func (h *Harness) Cluster(t testing.TB, spec world.ClusterSpec) {
	t.Helper()
	err := h.InTurn(func() error {
		ctx, cancel := context.WithTimeout(t.Context(), Patience)
		defer cancel()
		if err := h.World.CreateCluster(ctx, spec); err != nil {
			return err
		}
		return h.World.WaitReady(ctx, spec.Key())
	})
	if err != nil {
		t.Fatalf("making cluster %s: %v", spec.Key(), err)
	}
}
