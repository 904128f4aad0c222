package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// Effort is what a process has used since it started.
type Effort struct {
	// CPU is its processor time, in user and in system mode.
	CPU time.Duration
	// Requests are all requests to the API server; Writes are those that change something.
	Requests, Writes int64
}

// Weight is the memory of a process now.
type Weight struct {
	// Heap is live memory; Resident is what the system has assigned. Both are in bytes.
	Heap, Resident int64
}

// Count returns what the process has used.
func (p *process) Count(_ struct{}, effort *Effort) error {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return fmt.Errorf("reading the usage of the processors: %w", err)
	}
	*effort = Effort{
		CPU:      time.Duration(usage.Utime.Nano() + usage.Stime.Nano()),
		Requests: p.requests.Load(), Writes: p.writes.Load(),
	}
	return nil
}

// Weigh collects garbage and returns the remaining memory.
func (p *process) Weigh(_ struct{}, weight *Weight) error {
	// The contents of a pool survive the first collection.
	runtime.GC()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("reading the resident memory: %w", err)
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		return fmt.Errorf("reading the resident memory: %w", err)
	}
	*weight = Weight{Heap: int64(stats.HeapAlloc), Resident: resident * int64(os.Getpagesize())}
	return nil
}
