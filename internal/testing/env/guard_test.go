package env

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestGuardKillsAfterCrash runs this test binary again with a test that starts a guarded process and panics.
// The process holds the output pipe open, so Output returns only when it is dead.
func TestGuardKillsAfterCrash(t *testing.T) {
	crash := exec.Command(os.Args[0], "-test.run=^TestCrash$")
	crash.Env = append(os.Environ(), "SICKBAY_CRASH=1")
	crash.WaitDelay = time.Minute
	started := time.Now()
	out, err := crash.Output()
	if err == nil {
		t.Fatalf("the crashing test passed: %s", out)
	}
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("the guarded process lived for %s after the crash", took)
	}
}

func TestCrash(t *testing.T) {
	if os.Getenv("SICKBAY_CRASH") == "" {
		t.Skip("only for TestGuardKillsAfterCrash")
	}
	g, err := newGuard()
	if err != nil {
		t.Fatal(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	wrapped, err := g.wrap(sleep)
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command(wrapped, "60")
	server.Stdout = os.Stdout
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	// The wrapper must have started, or there is no process ID yet.
	for {
		if pids, _ := os.ReadFile(g.dir + "/pids"); len(pids) > 0 {
			panic("a test panics")
		}
	}
}
