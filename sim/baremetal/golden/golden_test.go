package golden_test

import (
	"context"
	"flag"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/baremetal/bmo"
	"github.com/sickbay-dev/sickbay/sim/baremetal/golden"
	"github.com/sickbay-dev/sickbay/sim/process"
)

func TestMain(m *testing.M) { env.Main(m, env.WithScheme(metal3api.AddToScheme)) }

// A flag and not an environment variable, because a mistyped flag fails the test.
var binary = flag.String("bmo", "", "path of the real operator, to run the cases against it too")

func TestSimulatedOperator(t *testing.T) { golden.Run(t, simulatedStand(t)) }

// TestRealOperator is for make test-bmo, which builds the operator.
func TestRealOperator(t *testing.T) { golden.Run(t, realStand(t)) }

// TestTwins is for make test-bmo, too.
func TestTwins(t *testing.T) {
	real, simulated := realStand(t), simulatedStand(t)
	for seed := range uint64(4) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			golden.Twins(t, real, simulated, seed)
		})
	}
}

func simulatedStand(t *testing.T) golden.Stand {
	t.Helper()
	e := server(t)
	return golden.Stand{Client: watching(t, e), Operator: func(t testing.TB, namespace string) golden.Operator {
		t.Helper()
		op, err := baremetal.Start(t.Context(), e.Config, baremetal.Options{Namespaces: []string{namespace}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := op.Close(); err != nil {
				t.Error(err)
			}
		})
		return simulated{op}
	}}
}

func realStand(t *testing.T) golden.Stand {
	t.Helper()
	if *binary == "" {
		t.Skip("make test-bmo builds the real operator and runs this test; here is none")
	}
	e := server(t)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := bmo.WriteKubeconfig(kubeconfig, e.Config); err != nil {
		t.Fatal(err)
	}
	return golden.Stand{Client: watching(t, e), Operator: func(t testing.TB, namespace string) golden.Operator {
		t.Helper()
		op := &real{options: bmo.Options{Binary: *binary, Kubeconfig: kubeconfig, Namespace: namespace, Log: &process.Log{}}}
		t.Cleanup(func() {
			op.Stop(t)
			if t.Failed() {
				t.Logf("the operator's log:\n%s", op.options.Log)
			}
		})
		op.Start(t)
		return op
	}}
}

// server returns the API server with the operator's kinds.
func server(t *testing.T) *env.Env {
	t.Helper()
	e := env.Get(t)
	if err := baremetal.InstallCRDs(e.Config); err != nil {
		t.Fatal(err)
	}
	return e
}

func watching(t *testing.T, e *env.Env) client.WithWatch {
	t.Helper()
	c, err := client.NewWithWatch(e.Config, client.Options{Scheme: e.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// simulated lets the cases see the machines.
type simulated struct{ *baremetal.Operator }

func (s simulated) Running(key client.ObjectKey) bool { return s.Host(key).Running() }

func (s simulated) Start(t testing.TB) {
	t.Helper()
	if err := s.Operator.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (s simulated) Stop(t testing.TB) {
	t.Helper()
	if err := s.Operator.Stop(); err != nil {
		t.Fatal(err)
	}
}

type real struct {
	options bmo.Options
	process *bmo.Process
}

func (r *real) Start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var err error
	if r.process, err = bmo.Start(ctx, r.options); err != nil {
		t.Fatalf("%v\n%s", err, r.options.Log)
	}
}

func (r *real) Stop(t testing.TB) {
	t.Helper()
	if r.process == nil {
		return
	}
	if err := r.process.Kill(); err != nil {
		t.Error(err)
	}
	r.process = nil
}
