package measure

import (
	"fmt"
	"runtime"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// Machine describes this computer.
func Machine() (result.Machine, error) {
	cpu, err := valueOf("/proc/cpuinfo", "model name")
	if err != nil {
		cpu = runtime.GOARCH // if the kernel does not name the model
	}
	memory, err := valueOf("/proc/meminfo", "MemTotal")
	if err != nil {
		return result.Machine{}, err
	}
	var kib int64
	if _, err := fmt.Sscanf(memory, "%d kB", &kib); err != nil {
		return result.Machine{}, fmt.Errorf("describing this machine: its memory is %q: %w", memory, err)
	}
	return result.Machine{CPU: cpu, Cores: runtime.NumCPU(), Memory: kib << 10}, nil
}
