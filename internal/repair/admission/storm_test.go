package admission

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestStormWithHistory: 1,000 machines are sick, one may be repaired at once, and of each machine 10 records are kept.
func TestStormWithHistory(t *testing.T) {
	p := plan(func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) })
	var all []Target
	var past []*v1alpha1.MachineRemediation
	for i := range 1000 {
		name := fmt.Sprintf("m-%04d", i)
		all = append(all, sick(name))
		for n := range 10 {
			r := recordOf(name, ended)
			r.Name, r.UID = fmt.Sprintf("%s-%d", name, n), types.UID(fmt.Sprintf("%s-%d", name, n))
			r.Status.CompletionTime = &metav1.Time{Time: now.Add(-time.Hour)}
			past = append(past, r)
		}
	}
	f := planned(p, all...).remembers(past...)
	begun := processor(t)
	d := Decide(f, now)
	if took := processor(t) - begun; took > 500*time.Millisecond {
		t.Errorf("one decision, to admit %d, took %s of a processor; a look makes up to four", len(d.Admit), took.Round(time.Millisecond))
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
