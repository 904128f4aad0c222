package bench

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
)

// Effort is what a process has done since it began.
type Effort struct {
	// CPU is the time of its processors, in user and in system mode.
	CPU time.Duration
	// Requests are those to the API server; Writes are those among them that do not read.
	Requests, Writes int64
}

// Weight is the memory that a process has now.
type Weight struct {
	// Heap is what is alive; Resident is what the system has given. Both are in bytes.
	Heap, Resident int64
}

// Count tells what the process has done.
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

// Weigh collects garbage and tells what is left.
func (p *process) Weigh(_ struct{}, weight *Weight) error {
	// What is in a pool survives the first collection.
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
