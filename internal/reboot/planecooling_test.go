package reboot

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestTwoThatCoolDown: a cycle stood back, under a pause or without a verdict, so one of another machine of the control plane began. Now both wait for
// another attempt. Exactly one of them begins it, and an attempt that has begun is not cancelled.
func TestTwoThatCoolDown(t *testing.T) {
	p := newPlane(t, 5)
	var both []*v1alpha1.RebootRemediation
	for _, name := range []string{"m1", "m2"} {
		request := p.ask(name)
		request.Status.Phase, request.Status.Attempt, request.Status.NextAttemptAt = v1alpha1.CoolingDown, 1, new(metav1.NewTime(time.Now().Add(-time.Minute)))
		if err := p.e.Client.Status().Update(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		both = append(both, request)
	}
	for after := range 10 {
		p.r.Clock = testingclock.NewFakePassiveClock(time.Now().Add(time.Duration(after) * time.Minute))
		for _, request := range both {
			p.look(request)
		}
	}
	begun := 0
	for _, request := range both {
		if request.Status.Attempt == 2 && request.Status.Phase == v1alpha1.PoweringOff {
			begun++
		}
	}
	if begun != 1 {
		t.Errorf("%d attempts have begun: m1 is %s: %s; m2 is %s: %s", begun, both[0].Status.Phase, messageOf(both[0].Status), both[1].Status.Phase, messageOf(both[1].Status))
	}
}
