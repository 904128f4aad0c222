// Package demo shows Sickbay at work in a world: it plays all scenarios, and shows the result of each in one row. Meanwhile, it
// serves the dashboard.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/scenario"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Options are the options of a demo.
type Options struct {
	// Binary is the path of Sickbay.
	Binary string
	// Keep keeps the world running at the end, until the context ends.
	Keep bool
	// Out is the terminal.
	Out io.Writer
	// Color switches colors on.
	Color bool
	// Size returns the size of the terminal in columns and rows. It is nil if the output is not interactive: then nothing is
	// redrawn.
	Size func() (width, height int)
	// Verbose shows every line of every story as it happens.
	Verbose bool
	// Stories are the stories to play; all by default.
	Stories []scenario.Scenario
	// Dir receives the kubeconfig and the logs.
	Dir string
	// Began is when the demo began; all times count from then.
	Began time.Time
}

// Run plays all scenarios. The error says which of them failed.
func Run(ctx context.Context, o Options) error {
	all, err := os.Create(filepath.Join(o.Dir, "stories.log"))
	if err != nil {
		return fmt.Errorf("creating the log of the stories: %w", err)
	}
	defer func() { _ = all.Close() }()
	if o.Stories == nil {
		o.Stories = scenario.All()
	}
	d := &demo{Options: o, scenarios: o.Stories}
	if d.web, err = listen(ctx); err != nil {
		return err
	}
	defer d.web.close()
	t := newTerminal(o, d.scenarios, all)
	d.terminal = t
	t.programme(d.web.address, d.kubeconfig())
	stop, err := d.start(ctx)
	defer stop()
	if err != nil {
		return err
	}
	results := d.play(ctx)
	t.sum(results)
	if err := failures(results); err != nil {
		t.print("The logs are in %s", d.Dir)
		return err
	}
	t.print("All %d stories ended as they should. Every line of them is in %s", len(results), all.Name())
	if o.Keep {
		t.keep(d.kubeconfig())
		<-ctx.Done()
	}
	t.print("Taking the world down")
	return nil
}

type demo struct {
	Options
	terminal  *terminal
	scenarios []scenario.Scenario
	world     *world.World
	journal   *journal.Journal
	web       *web
}

// gracePeriod is Sickbay's grace period for unreachable clusters. It is short, because nobody wants to watch one for five
// minutes.
const gracePeriod = 5 * time.Second

func (d *demo) kubeconfig() string { return filepath.Join(d.Dir, "kubeconfig") }

// start starts the world and Sickbay. Call stop even after an error: it stops whatever was started.
func (d *demo) start(ctx context.Context) (stop func(), err error) {
	var undo []func()
	stop = func() {
		for _, step := range slices.Backward(undo) {
			step()
		}
	}
	worldLog, err := os.Create(filepath.Join(d.Dir, "world.log"))
	if err != nil {
		return stop, fmt.Errorf("creating the world's log: %w", err)
	}
	d.terminal.print("Starting kube-apiserver, etcd and the controllers of Cluster API")
	if d.world, err = world.Start(ctx, world.Options{Log: worldLog, BareMetal: true}); err != nil {
		return stop, fmt.Errorf("starting the world: %w", err)
	}
	undo = append(undo, func() { _ = d.world.Stop(context.WithoutCancel(ctx)) })
	if err := d.world.WriteKubeconfig(d.kubeconfig()); err != nil {
		return stop, err
	}
	// Close it before the world stops, because an API server that stops waits for its watches.
	reading, closeJournal := context.WithCancel(ctx)
	undo = append(undo, closeJournal)
	if d.journal, err = journal.Open(reading, d.world); err != nil {
		return stop, fmt.Errorf("opening the journal: %w", err)
	}
	log, err := os.Create(filepath.Join(d.Dir, "sickbay.log"))
	if err != nil {
		return stop, fmt.Errorf("creating Sickbay's log: %w", err)
	}
	d.terminal.print("Starting Sickbay beside it")
	process, err := sickbay.Start(ctx, sickbay.Options{
		Binary: d.Binary, Kubeconfig: d.kubeconfig(), Log: log,
		Args: []string{"--remote-conditions-grace-period=" + gracePeriod.String(), "--leader-elect", "--leader-elect-namespace=" + metav1.NamespaceSystem},
	})
	if err != nil {
		return stop, fmt.Errorf("starting Sickbay: %w", err)
	}
	undo = append(undo, func() { _ = process.Stop() })
	closePage, err := d.openPage(ctx)
	undo = append(undo, closePage)
	return stop, err
}

// play plays all scenarios in parallel; those of a cluster begin when it is up.
func (d *demo) play(ctx context.Context) []result {
	ticking, stop := context.WithCancel(ctx)
	defer stop()
	go d.terminal.tick(ticking)
	d.terminal.print("Making %d clusters", len(scenario.Clusters(d.scenarios)))
	results := make([]result, len(d.scenarios))
	var group sync.WaitGroup
	for _, cluster := range scenario.Clusters(d.scenarios) {
		prepared := make(chan struct{})
		var err error
		go func() {
			defer close(prepared)
			ctx, cancel := context.WithTimeout(ctx, scenario.Patience)
			defer cancel()
			if err = scenario.Prepare(ctx, d.world, cluster, d.scenarios); err == nil {
				d.terminal.detail("Cluster %s is up", cluster.Name)
			}
		}()
		for i, s := range d.scenarios {
			if s.Cluster != cluster.Name {
				continue
			}
			group.Go(func() {
				<-prepared
				results[i] = result{scenario: s, err: err}
				if err == nil {
					results[i] = d.tell(ctx, s)
				}
				d.terminal.end(results[i])
			})
		}
		// One after the other, so that the stories of the first clusters begin while the next clusters come up.
		<-prepared
	}
	group.Wait()
	return results
}

// tell plays one scenario.
func (d *demo) tell(ctx context.Context, s scenario.Scenario) result {
	ctx, cancel := context.WithTimeout(ctx, scenario.Patience)
	defer cancel()
	d.terminal.begin(s.Name)
	began := time.Now()
	stage := &scenario.Stage{Scenario: s, World: d.world, Journal: d.journal, Tell: d.terminal.line}
	outcome, err := s.Play(ctx, stage)
	return result{scenario: s, outcome: outcome, took: time.Since(began), err: err}
}

func failures(results []result) error {
	var errs []error
	for _, r := range results {
		if r.err != nil {
			errs = append(errs, fmt.Errorf("scenario %s: %w", r.scenario.Name, r.err))
		}
	}
	return errors.Join(errs...)
}
