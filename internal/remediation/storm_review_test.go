//go:build review

package remediation

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestReviewStormOfReplacements: 1,000 of 2,000 machines of a MachineSet are gone, and their records wait for others in their
// place. machinehealthcheck asks for the successor of each of them in each look, and each event of a Machine wakes up all of them.
func TestReviewStormOfReplacements(t *testing.T) {
	const n = 1000
	var machines []clusterv1.Machine
	var records []v1alpha1.MachineRemediation
	for i := range n {
		machines = append(machines, come(fmt.Sprintf("healthy-%04d", i), "set", 0))
		records = append(records, asked(fmt.Sprintf("gone-%04d", i), "set", 10))
	}
	for arrived, most := range map[int]time.Duration{0: time.Second, n / 2: time.Second} {
		all := machines
		for i := range arrived {
			all = append(all, come(fmt.Sprintf("new-%04d", i), "set", 11))
		}
		begun := processor(t)
		for i := range 20 {
			SuccessorOf(&records[i*n/20], all, records)
		}
		if look := (processor(t) - begun) * n / 20; look > most {
			t.Errorf("%d have come: one look of machinehealthcheck, or one event for remediation, costs %s of a processor", arrived, look.Round(time.Millisecond))
		}
	}
}

// processor is how much of a processor this process has used.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano())
}
