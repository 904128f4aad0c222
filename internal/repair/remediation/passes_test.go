package remediation

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func TestPasses(t *testing.T) {
	var p passes
	now, a, b := build.Epoch, client.ObjectKey{Name: "a"}, client.ObjectKey{Name: "b"}
	for i, tt := range []struct {
		cluster client.ObjectKey
		wanted  bool
		after   time.Duration
		run     bool
		wait    time.Duration
	}{
		{a, false, 0, false, 0},
		{a, true, 0, false, passPause},
		{a, true, time.Second, false, 0}, // one comes already
		{b, true, time.Second, false, passPause},
		{a, false, passPause - time.Nanosecond, false, 0},
		{a, false, passPause, true, 0},
		{a, false, passPause, false, 0},
		{a, true, passPause, false, passPause},
		{b, true, 2 * passPause, true, 0},
	} {
		if run, wait := p.ask(tt.cluster, tt.wanted, now.Add(tt.after)); run != tt.run || wait != tt.wait {
			t.Errorf("%d: run %t, wait %s; want %t, %s", i, run, wait, tt.run, tt.wait)
		}
	}
	p.schedule(b, now)
	if run, _ := p.ask(b, false, now); !run {
		t.Error("what was planned is not run")
	}
}
