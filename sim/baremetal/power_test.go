package baremetal_test

import (
	"testing"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

func TestInstantPowerNeedsNoTime(t *testing.T) {
	s := newRunning(t)
	s.annotate(key, hard)
	s.turns(false)
	s.drop(key)
	s.turns(true)
	if s.PowerCycles() != 1 || s.Boots() != 2 {
		t.Errorf("%d power cycles and %d boots, want 1 and 2: %v", s.PowerCycles(), s.Boots(), s.History())
	}
}

func TestSlowPower(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{OffTakes: 2 * time.Minute, OnTakes: 3 * time.Minute})
	asked := s.clock.Now()
	s.annotate(key, hard)
	s.turns(false)
	if took := s.last().Sub(asked); took < 2*time.Minute {
		t.Errorf("the machine was off after %s", took)
	}
	asked = s.clock.Now()
	s.drop(key)
	s.turns(true)
	if took := s.last().Sub(asked); took < 3*time.Minute {
		t.Errorf("the machine was on after %s", took)
	}
	if s.hasPowerError() || s.PowerCycles() != 1 {
		t.Errorf("status %+v, %d power cycles, want no error and one", s.get().Status, s.PowerCycles())
	}
}

func TestIgnoredSoftPowerOffBecomesHard(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{SoftIgnored: true})
	asked := s.clock.Now()
	s.annotate(key, soft)
	s.turns(false)
	if took := s.last().Sub(asked); took < production.SoftTimeout {
		t.Errorf("the machine was off after %s", took)
	}
	if status := s.get().Status; status.ErrorType != "" || status.ErrorCount == 0 {
		t.Errorf("error %q, count %d; want none, and a count that stays", status.ErrorType, status.ErrorCount)
	}
}

func TestHardWaitsForSoft(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{SoftIgnored: true})
	asked := s.clock.Now()
	s.annotate(key, soft)
	s.stays("running", func() bool { return s.Running() || s.clock.Since(asked) >= production.SoftTimeout })
	s.annotate(key, hard)
	s.turns(false)
	if took := s.last().Sub(asked); took < production.SoftTimeout {
		t.Errorf("the machine was off after %s", took)
	}
}

func TestUnsupportedSoftPowerOffIsHardAtOnce(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{SoftUnsupported: true, SoftIgnored: true})
	s.annotate(key, soft)
	s.turns(false)
	if count := s.get().Status.ErrorCount; count != 0 {
		t.Errorf("%d errors, want none: nobody was asked to shut down", count)
	}
}

func TestBusyIsNoError(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{Busy: true})
	s.annotate(key, hard)
	s.stays("on, without an error", func() bool { return s.Running() && s.get().Status.PoweredOn && !s.hasPowerError() })
	s.Set(baremetal.Faults{})
	s.turns(false)
}

func TestFailedPowerOffIsTriedAgain(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{FailOff: 1})
	s.annotate(key, hard)
	s.turns(false)
	if count := s.get().Status.ErrorCount; count != 1 {
		t.Errorf("%d errors, want one", count)
	}
	if s.hasPowerError() || s.Faults().FailOff != 0 {
		t.Errorf("status when it is off: %+v", s.get().Status)
	}
}

func TestAnErrorOfThePastMakesSoftHard(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{FailOff: 1})
	s.annotate(key, hard)
	s.turns(false)
	s.drop(key)
	s.turns(true)
	s.Set(baremetal.Faults{SoftIgnored: true})
	s.annotate(key, soft)
	s.turns(false)
	if count := s.get().Status.ErrorCount; count != 1 {
		t.Errorf("%d errors, want the one from before: nobody was asked to shut down", count)
	}
}

func TestErrorsGrowRare(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{FailOff: 4})
	s.annotate(key, hard)
	var errors [5]time.Time
	for n := range errors[1:] {
		s.becomes("error", func() bool {
			status := s.get().Status
			errors[n+1] = status.LastUpdated.Time
			return status.ErrorCount >= n+1
		})
	}
	if pause := errors[4].Sub(errors[3]); pause < 4*time.Minute {
		t.Errorf("%s between the third error and the fourth, want four to eight minutes", pause)
	}
	s.turns(false)
}

func TestFailedPowerOnIsTriedAgain(t *testing.T) {
	s := newRunning(t)
	s.annotate(key, hard)
	s.turns(false)
	s.Set(baremetal.Faults{FailOn: 2})
	s.drop(key)
	s.becomes("second error", func() bool { return s.get().Status.ErrorCount == 2 })
	s.turns(true)
}

func TestUnreachableHostKeepsItsStatus(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{Unreachable: true})
	s.annotate(key, hard)
	var status metal3api.BareMetalHostStatus
	s.becomes("error", func() bool {
		status = s.get().Status
		return status.ErrorType == metal3api.PowerManagementError
	})
	if !status.PoweredOn || status.ErrorCount == 0 || status.ErrorMessage == "" || status.OperationalStatus != metal3api.OperationalStatusError {
		t.Errorf("status after an error: %+v", status)
	}
	s.Press(false)
	s.stays("on in the status", func() bool { return s.get().Status.PoweredOn })
	s.Set(baremetal.Faults{})
	s.turns(false)
	if s.hasPowerError() {
		t.Errorf("status when the BMC is back: %+v", s.get().Status)
	}
}

func TestUnreachableHostLooksOff(t *testing.T) {
	s := newRunning(t)
	s.annotate(key, hard)
	s.turns(false)
	s.Set(baremetal.Faults{Unreachable: true})
	s.Press(true)
	s.stays("off in the status", func() bool { return !s.get().Status.PoweredOn })
	if s.OffAt(s.clock.Now()) {
		t.Error("the machine is off, and somebody switched it on")
	}
	s.Set(baremetal.Faults{})
	s.becomes("switched off again", func() bool { return !s.Running() })
}

func TestUnknownPowerKeepsTheOldValue(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{PowerUnknown: true})
	s.stays("on in the status", func() bool { return s.get().Status.PoweredOn })
	s.Set(baremetal.Faults{})
	s.annotate(key, hard)
	s.turns(false)
	s.Set(baremetal.Faults{PowerUnknown: true})
	s.Press(true)
	failure := func() bool {
		c := meta.FindStatusCondition(s.get().Status.Conditions, metal3api.ManageableCondition)
		return c != nil && c.Reason == metal3api.PowerFailureReason
	}
	s.becomes("power failure", failure)
	if s.get().Status.PoweredOn || !s.Running() {
		t.Errorf("status %+v, running: %t; want the old value, and the truth", s.get().Status, s.Running())
	}
	s.drop(key)
	s.becomes("error", s.hasPowerError)
	s.Set(baremetal.Faults{})
	s.turns(true)
	s.becomes("no power failure", func() bool { return !failure() })
}

func TestButtonIsSeenAtTheNextPoll(t *testing.T) {
	s := newRunning(t)
	s.annotate(key, hard)
	s.turns(false)
	s.stays("off", func() bool { return !s.Running() })
	// The operator has just looked, so it will not look again while the clock stands still.
	looks := s.Looks()
	s.becomes("a poll", func() bool { return s.Looks() > looks })
	s.Press(true)
	pressed := s.clock.Now()
	s.g.Consistently(func() bool { return s.Running() && !s.get().Status.PoweredOn && !s.OffAt(pressed) }).
		WithTimeout(200*time.Millisecond).Should(BeTrue(), "before the next poll the machine runs and the status does not know")
	s.becomes("switched off again", func() bool { return !s.Running() })
	if s.OffDuring(pressed.Add(-tick), s.clock.Now()) {
		t.Error("the machine counts as off all the time")
	}
}

func TestLagOfTheBMC(t *testing.T) {
	s := newRunning(t)
	const lag = 5 * time.Minute
	s.clock.Step(lag)
	s.Set(baremetal.Faults{Lag: lag})
	s.annotate(key, hard)
	s.turns(false)
	if late := s.clock.Since(s.last()); late < lag {
		t.Errorf("the status knew after %s", late)
	}
	if s.PowerCycles() != 0 {
		t.Errorf("orders that were repeated had an effect: %v", s.History())
	}
}

func TestServicingIgnoresKeys(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{Servicing: 10 * time.Minute})
	s.annotate(key, hard)
	s.becomes("on while held off", func() bool {
		status := s.get().Status
		return status.OperationalStatus == metal3api.OperationalStatusServicing && status.PoweredOn && s.Running()
	})
	s.becomes("off when it is done", func() bool { return s.get().Status.OperationalStatus == metal3api.OperationalStatusOK && !s.Running() })
	s.stays("off", func() bool { return !s.Running() && s.has(key) })
	var ramdisks, boots int
	for _, change := range s.History() {
		if change.Ramdisk {
			ramdisks++
		} else if change.Running {
			boots++
		}
	}
	if ramdisks != 1 || boots != 2 {
		t.Errorf("%d boots of a ramdisk and %d of the system, want 1 and 2: %v", ramdisks, boots, s.History())
	}
}

func TestHostThatCannotBeSwitchedOffReboots(t *testing.T) {
	s := newHarness(t)
	s.create(func(h *metal3api.BareMetalHost) { h.Spec.DisablePowerOff = true })
	s.turns(true)
	s.annotate(plain, hard)
	s.becomes("one reboot", func() bool { return s.Boots() == 2 && !s.has(plain) })
	s.stays("no second one", func() bool { return s.Boots() == 2 && s.get().Status.PoweredOn })
	s.annotate(key, hard)
	s.becomes("reboots without end", func() bool { return s.Boots() > 5 })
	s.drop(key)
}

func TestDeletionGivesUp(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{Unreachable: true})
	if err := s.client.Delete(s.ctx, s.get()); err != nil {
		t.Fatal(err)
	}
	s.becomes("gone", func() bool { return apierrors.IsNotFound(s.client.Get(s.ctx, s.key, &metal3api.BareMetalHost{})) })
	if !s.Running() {
		t.Error("the machine is off, and nobody could switch it off")
	}
}
