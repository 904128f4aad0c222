package e2e_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/scenario"
)

// lanes is how many stories run at once.
const lanes = 6

// plays counts the stories that have run: each has its own cluster.
var plays atomic.Int64

// TestMishapsInStories plays the stories of the demo with each mishap at each of their writes and watch events, and expects
// the same end. It takes hours; -run selects a story.
func TestMishapsInStories(t *testing.T) {
	if !*everything {
		t.Skip("only with -args -everything: TestMishaps tries the most important of them, with every remedy")
	}
	t.Parallel()
	free := make(chan struct{}, lanes)
	for _, s := range scenario.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			rehearsal := &fault.Wire{}
			var want end
			if !t.Run("no mishap", func(t *testing.T) { want = newShow(s, free).play(t, rehearsal) }) {
				return
			}
			for _, at := range rehearsal.Moments() {
				for _, mishap := range mishapsInStory(at) {
					t.Run(fmt.Sprintf("%s %s", mishap, at), func(t *testing.T) {
						t.Parallel()
						wire := &fault.Wire{Moment: at, Mishap: mishap}
						if diff := cmp.Diff(want, newShow(s, free).play(t, wire)); diff != "" {
							t.Errorf("the end is another one than without mishap:\n%s", diff)
						}
						if !wire.Happened() {
							t.Log("this time, that did not come")
						}
					})
				}
			}
		})
	}
}

// mishapsInStory returns the mishaps to try at a moment. The tenth write of a kind behaves like the second.
func mishapsInStory(m fault.Moment) []fault.Mishap {
	switch {
	case m.Event && m.Nth == 1:
		return fault.EventMishaps()
	case !m.Event && m.Nth <= 2:
		return fault.WriteMishaps()
	}
	return nil
}

// show is one run of a story, in its own cluster.
type show struct {
	scenario.Scenario
	free chan struct{}
	// cast maps the names of machines to their roles.
	mu   sync.Mutex
	cast map[string]string
}

func newShow(s scenario.Scenario, free chan struct{}) *show {
	return &show{Scenario: s.In(fmt.Sprintf("%s-%d", s.Name, plays.Add(1))), free: free, cast: map[string]string{}}
}

// role returns the role of an object in the story.
func (s *show) role(resource, name string) string {
	switch resource {
	case "machines":
		return s.machine(name)
	case "machineremediations":
		return "the record of " + s.machine(machineOf(name))
	}
	return roleOf(resource)
}

// machine returns the role of a machine: its number in the order in which machines were first seen.
func (s *show) machine(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cast[name] == "" {
		s.cast[name] = fmt.Sprintf("machine %d", len(s.cast)+1)
	}
	return s.cast[name]
}

// play runs the story with its own manager, and returns how it ended.
func (s *show) play(t *testing.T, wire *fault.Wire) end {
	t.Helper()
	s.free <- struct{}{}
	defer func() { <-s.free }()
	g := newTest(t)
	s.prepare(t)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), e2e.Patience)
		defer cancel()
		g.Expect(harness.World.DeleteCluster(ctx, client.ObjectKey{Namespace: s.Namespace, Name: s.Cluster})).To(Succeed())
	}()
	wire.Role = s.role
	ctx, stop := context.WithCancel(t.Context())
	var managers sync.WaitGroup
	managers.Go(func() {
		if err := supervise(ctx, s.Namespace, wire); err != nil {
			t.Errorf("running the manager: %v", err)
		}
	})
	defer managers.Wait()
	defer stop()
	stage := &scenario.Stage{Scenario: s.Scenario, World: harness.World, Journal: harness.Journal, WithoutEvents: true, Tell: func(l scenario.Line) {
		t.Logf("%s %-8s %s", l.At.Format(time.TimeOnly), l.Kind, l.Text)
	}}
	playing, cancel := context.WithTimeout(t.Context(), scenario.Patience)
	defer cancel()
	_, err := s.Play(playing, stage)
	g.Expect(err).NotTo(HaveOccurred())
	g.Eventually(func(g Gomega) { allClosed(g, s.Namespace) }).Should(Succeed())
	return endOf(g, s.Namespace)
}

func (s *show) prepare(t *testing.T) {
	t.Helper()
	alone := []scenario.Scenario{s.Scenario}
	err := harness.InTurn(func() error {
		return scenario.Prepare(waitContext(t), harness.World, scenario.Clusters(alone)[0], alone)
	})
	if err != nil {
		t.Fatalf("preparing %s: %v", s.Name, err)
	}
}
