package targets_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// deadline is a context whose deadline passes when the test says so.
type deadline struct {
	context.Context
	passed chan struct{}
}

func (d deadline) Done() <-chan struct{} { return d.passed }

func (d deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// dead returns five targets that do not answer, each in another way, and the expected
// words. Two of them hang for ever, and signal on the channel when they start.
func dead(t *testing.T) (map[string]*rest.Config, map[string]string, <-chan struct{}) {
	t.Helper()
	begun := make(chan struct{}, 100)
	slow := serve(t, func(s *server, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != aConfigMapPath {
			return false
		}
		begun <- struct{}{}
		return trickle(s, w, r)
	})
	insecure := rest.TLSClientConfig{Insecure: true}
	wrong := serve(t, nil).config()
	wrong.TLSClientConfig = stranger(t)
	return map[string]*rest.Config{
			// Without TLS, because the wait for a TLS handshake is limited to ten seconds.
			"mute":         {Host: "http://" + mute(t, begun)},
			"gone":         {Host: nobody, TLSClientConfig: insecure},
			"wrong":        wrong,
			"unauthorized": serve(t, refuse).config(),
			"slow":         slow.config(),
		}, map[string]string{
			"mute":         "cluster mute does not answer in time",
			"gone":         "cluster gone refuses connections",
			"wrong":        "cluster wrong has a certificate that cannot be trusted: it is signed by an unknown authority",
			"unauthorized": "cluster unauthorized refuses the credential",
			"slow":         "cluster slow does not answer in time",
		}, begun
}

// TestDeadTargets: five of 50 targets are dead. The others are read while requests to some
// of these still hang; after that, no request waits for a dead target.
func TestDeadTargets(t *testing.T) {
	configs, want, begun := dead(t)
	for i := len(configs); i < 50; i++ {
		key := fmt.Sprintf("alive-%d", i)
		configs[key], want[key] = serve(t, nil).config(), ""
	}
	clock := newClock()
	c := &targets.Clients[string]{
		Resolve: func(_ context.Context, key string) (targets.Access, error) { return at(key, "1", configs[key]), nil },
		Options: targets.Options{Timeout: time.Hour, DialTimeout: time.Hour, Clock: clock},
	}
	defer c.Close()
	ctx := deadline{t.Context(), make(chan struct{})}

	// The first object of each of the two that hang.
	first := map[string]string{}
	var hanging, others sync.WaitGroup
	var mu sync.Mutex
	for _, key := range []string{"mute", "slow"} {
		hanging.Go(func() {
			got := text(getWithin(ctx, t, c, key))
			mu.Lock()
			defer mu.Unlock()
			first[key] = got
		})
		<-begun
	}
	readAll := func(keys []string) map[string]string {
		got := map[string]string{}
		for _, key := range keys {
			for range 4 {
				others.Go(func() {
					err := text(get(t, c, key))
					mu.Lock()
					defer mu.Unlock()
					got[key] = err
				})
			}
		}
		others.Wait()
		return got
	}
	quick := slices.DeleteFunc(slices.Sorted(maps.Keys(configs)), func(key string) bool { return key == "mute" || key == "slow" })
	got := readAll(quick)
	if len(first) != 0 {
		t.Errorf("those that hang have ended: %v", first)
	}
	clock.Step(time.Second)
	close(ctx.passed)
	hanging.Wait()
	maps.Copy(got, first)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the first run (-want +got):\n%s", diff)
	}
	// With a timeout of an hour, this test would hang if any dead target were asked now.
	if diff := cmp.Diff(want, readAll(slices.Sorted(maps.Keys(configs)))); diff != "" {
		t.Errorf("the second run (-want +got):\n%s", diff)
	}
}

// TestTimeout: it ends requests that hang, whatever the caller's deadline.
func TestTimeout(t *testing.T) {
	begun := make(chan struct{}, 100)
	hosts := map[string]*rest.Config{
		"mute": {Host: "https://" + mute(t, begun), TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		"slow": serve(t, trickle).config(),
	}
	for name, config := range hosts {
		t.Run(name, func(t *testing.T) {
			c := &targets.Clients[string]{Resolve: one(at("c", "1", config)), Options: targets.Options{Timeout: 100 * time.Millisecond, Clock: newClock()}}
			defer c.Close()
			if got, want := text(get(t, c, "o")), "cluster c does not answer in time"; got != want {
				t.Errorf("the error is %q, want %q", got, want)
			}
		})
	}
}
