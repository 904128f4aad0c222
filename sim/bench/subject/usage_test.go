package subject

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestUsage counts requests by method, including those to workload clusters and those that failed.
func TestUsage(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{Bench: self, Log: io.Discard, token: token, stored: func(context.Context) (Stored, error) { return Stored{Events: 5, Records: 2}, nil }}
	p, err := r.Start(t.Context(), canned)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill() }()
	if !p.Started.Before(p.Ready) {
		t.Errorf("ready at %s, started at %s", p.Ready, p.Started)
	}
	u, err := p.Usage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]float64{"GET": 16, "PATCH": 4, "PUT": 2, "DELETE": 1, "POST": 7}, u.Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if u.Writes() != 9 || u.Created() != 7 || u.All() != 30 || u.Allocated != 1.25e6 {
		t.Errorf("%v writes, %v created, %v requests, %v bytes", u.Writes(), u.Created(), u.All(), u.Allocated)
	}
}

// TestUsageSince includes methods that were not used before.
func TestUsageSince(t *testing.T) {
	before := Usage{CPU: time.Second, Allocated: 100, Requests: map[string]float64{"GET": 10, "POST": 2}, Stored: Stored{Events: 3, Records: 1}}
	after := Usage{CPU: 3 * time.Second, Allocated: 150, Requests: map[string]float64{"GET": 12, "POST": 2, "PATCH": 5}, Stored: Stored{Events: 7, Records: 3}}
	want := Usage{CPU: 2 * time.Second, Allocated: 50, Requests: map[string]float64{"GET": 2, "POST": 0, "PATCH": 5}, Stored: Stored{Events: 4, Records: 2}}
	if diff := cmp.Diff(want, after.Since(before)); diff != "" {
		t.Errorf("since (-want +got):\n%s", diff)
	}
}

// TestUsageWithout leaves out what is sent all the time, and changes neither usage.
func TestUsageWithout(t *testing.T) {
	used, calm := Usage{Requests: map[string]float64{"GET": 10, "PATCH": 4}}, Usage{Requests: map[string]float64{"GET": 2, "PATCH": 3, "PUT": 1}}
	if diff := cmp.Diff(map[string]float64{"GET": 7, "PATCH": 0, "PUT": 0}, used.Without(calm, 1.5).Requests); diff != "" {
		t.Errorf("without (-want +got):\n%s", diff)
	}
	if used.Requests["GET"] != 10 || calm.Requests["GET"] != 2 {
		t.Errorf("%v and %v have changed", used, calm)
	}
}

// tick is the unit of time in /proc, on every Linux.
const tick = 10 * time.Millisecond

// TestCPU compares the result with what the kernel tells the process itself. The times in /proc are rounded down, twice.
func TestCPU(t *testing.T) {
	for end := own(t) + 10*tick; own(t) < end; {
		_ = strings.Repeat("work", 1000)
	}
	for name, comm := range map[string]string{"as it is": "", "a name like other fields": "a) S 1 2 (b"} {
		t.Run(name, func(t *testing.T) {
			if comm != "" {
				rename(t, comm)
			}
			least := own(t) - 2*tick
			got, err := cpu(os.Getpid())
			if most := own(t); err != nil || got < least || got > most {
				t.Errorf("it used %s, want %s to %s; %v", got, least, most, err)
			}
		})
	}
	// No process has the number 0.
	if _, err := cpu(0); err == nil {
		t.Error("a process that is not there has a processor time")
	}
}

// own returns the processor time of this process.
func own(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// rename gives this process another name until the test ends.
func rename(t *testing.T, name string) {
	t.Helper()
	file := fmt.Sprintf("/proc/%d/comm", os.Getpid())
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(name), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.WriteFile(file, before, 0); err != nil {
			t.Error(err)
		}
	})
}
