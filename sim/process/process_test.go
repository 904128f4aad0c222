package process_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/process"
)

// probe returns the URL of a probe that fails so many times before it says that all is well.
func probe(t *testing.T, failures int32) string {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) <= failures {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// endedBy returns the signal that ended a process.
func endedBy(t *testing.T, command *exec.Cmd) syscall.Signal {
	t.Helper()
	status, ok := command.ProcessState.Sys().(syscall.WaitStatus)
	if !ok {
		t.Fatalf("it is unknown how the process ended: %v", command.ProcessState)
	}
	return status.Signal()
}

func TestProcessEndsByTheRightSignal(t *testing.T) {
	for signal, end := range map[syscall.Signal]func(*process.Process) error{
		syscall.SIGKILL: (*process.Process).Kill, syscall.SIGTERM: (*process.Process).Stop,
	} {
		command := exec.Command("sleep", "600")
		p, err := process.Start(t.Context(), command, "the child", probe(t, 2), io.Discard, syscall.SIGKILL)
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-p.Exited():
			t.Errorf("process %d ended by itself", p.PID())
		default:
		}
		// The second time, the process has ended already.
		for range 2 {
			if err := end(p); err != nil {
				t.Error(err)
			}
		}
		<-p.Exited()
		if got := endedBy(t, command); got != signal {
			t.Errorf("the process was ended by %v, want %v", got, signal)
		}
	}
}

func TestErrorsSayWhy(t *testing.T) {
	for want, command := range map[string]*exec.Cmd{
		"starting the child: ":                                  exec.Command("/no/such/file"),
		"waiting for the child: the child ended: exit status 3": exec.Command("sh", "-c", "exit 3"),
		"waiting for the child: the child is not ready: 503 Service Unavailable (context deadline exceeded)": exec.Command("sleep", "600"),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		_, err := process.Start(ctx, command, "the child", probe(t, 1000), io.Discard, syscall.SIGTERM)
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
		if command.Args[0] == "sleep" && endedBy(t, command) != syscall.SIGTERM {
			t.Errorf("the process was not told to end: %v", command.ProcessState)
		}
	}
}
