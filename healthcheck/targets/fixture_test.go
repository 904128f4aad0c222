package targets_test

import (
	"context"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/cert"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

func TestMain(m *testing.M) { env.Main(m) }

// patience is far longer than anything here takes that does not hang on purpose.
const patience = 30 * time.Second

// firstBackoff is the back-off after the first failure.
const firstBackoff = 2 * time.Second

// at returns a target with a configuration.
func at(key, version string, cfg *rest.Config) targets.Target {
	return targets.Target{Key: key, Version: version, Config: func(context.Context) (*rest.Config, error) { return cfg, nil }}
}

// one resolves every object to the same target.
func one(target targets.Target) targets.Resolve[string] {
	return func(context.Context, string) (targets.Target, error) { return target, nil }
}

func newClock() *testingclock.FakeClock {
	return testingclock.NewFakeClock(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
}

// reader returns a client for an object.
func reader(t testing.TB, c *targets.Clients[string], obj string) client.Reader {
	t.Helper()
	r, err := c.Target(t.Context(), obj)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// get reads the ConfigMap that each server has.
func get(t testing.TB, c *targets.Clients[string], obj string) error {
	t.Helper()
	return getWithin(t.Context(), t, c, obj)
}

func getWithin(ctx context.Context, t testing.TB, c *targets.Clients[string], obj string) error {
	t.Helper()
	r, err := c.Target(ctx, obj)
	if err != nil {
		t.Fatal(err)
	}
	return r.Get(ctx, aConfigMap, empty())
}

// text returns the text of an error; empty without one.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// stranger returns a configuration that trusts a certificate that no server has.
func stranger(t testing.TB) rest.TLSClientConfig {
	t.Helper()
	ca, _, err := cert.GenerateSelfSignedCertKey("stranger", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return rest.TLSClientConfig{CAData: ca}
}
