package cycle_test

import (
	"context"
	"flag"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

// A flag and not an environment variable, because a mistyped flag fails the test.
var binary = flag.String("bmo", "", "path of the real operator, which is then the one that switches the hosts")

// operator switches the hosts of a namespace.
type operator interface {
	// Host returns the machine behind a BareMetalHost, in its current state.
	Host(key client.ObjectKey) *baremetal.Host
	Start(ctx context.Context) error
	Stop() error
	Close() error
}

// onlySimulated skips a test that needs what the real operator cannot do. In its test mode, power takes no time and
// never fails, machines have no buttons, and all hosts share one state.
func onlySimulated(t testing.TB, why string) {
	t.Helper()
	if *binary != "" {
		t.Skip("only the simulated operator has " + why)
	}
}

// startOperator starts the operator of a harness.
func (s *harness) startOperator() operator {
	s.Helper()
	var op operator
	var err error
	if *binary == "" {
		op, err = baremetal.Start(s.ctx, s.e.Config, baremetal.Options{Namespaces: []string{s.namespace}, Clock: s.time})
	} else {
		op, err = s.startReal()
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := op.Close(); err != nil {
			s.Error(err)
		}
	})
	return op
}
