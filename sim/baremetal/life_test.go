package baremetal_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/sim/baremetal"
)

func TestNewerOperatorKeepsKeysOfOthers(t *testing.T) {
	s := newHarness(t)
	s.Set(baremetal.Faults{KeepForeignKeys: true})
	s.create(func(h *metal3api.BareMetalHost) {
		h.Annotations = map[string]string{key: hard, plain: ""}
		h.Spec.ExternallyProvisioned = false
		h.Spec.Image = &metal3api.Image{URL: "http://192.0.2.2/image"}
	})
	s.becomes("provisioned", func() bool { return s.get().Status.Provisioning.State == metal3api.StateProvisioned })
	s.stays("held off", func() bool { return !s.Running() })
	if !s.has(key) || s.has(plain) {
		t.Errorf("annotations are %v, want the one with suffix alone", s.get().Annotations)
	}
}

func TestStoppedOperator(t *testing.T) {
	s := newRunning(t)
	if err := s.operator.Stop(); err != nil {
		t.Fatal(err)
	}
	s.annotate(key, hard)
	s.stays("on", func() bool { return s.Running() && s.get().Status.PoweredOn })
	s.Press(false)
	s.stays("off, and nobody knows", func() bool { return !s.Running() && s.get().Status.PoweredOn })
	if err := s.operator.Start(s.ctx); err != nil {
		t.Fatal(err)
	}
	s.turns(false)
	if err := s.operator.Start(s.ctx); err == nil {
		t.Error("an operator that runs can be started")
	}
}

func TestOrderOutlivesTheOperator(t *testing.T) {
	s := newRunning(t)
	s.Set(baremetal.Faults{OffTakes: time.Hour})
	s.annotate(key, soft)
	s.stays("on", s.Running)
	if err := s.operator.Stop(); err != nil {
		t.Fatal(err)
	}
	s.clock.Step(time.Hour)
	s.becomes("off", func() bool { return !s.Running() })
	if !s.get().Status.PoweredOn {
		t.Error("an operator that is stopped saw that the machine went off")
	}
}

func TestProgram(t *testing.T) {
	s := newHarness(t)
	var running atomic.Int32
	boots := make(chan baremetal.Boot, 10)
	s.Runs(func(ctx context.Context, boot baremetal.Boot) {
		running.Add(1)
		boots <- boot
		<-ctx.Done()
		running.Add(-1)
	})
	s.create(func(*metal3api.BareMetalHost) {})
	s.turns(true)
	first := <-boots
	s.annotate(key, hard)
	s.turns(false)
	if running.Load() != 0 {
		t.Error("a program runs on a machine that is off")
	}
	s.drop(key)
	s.turns(true)
	second := <-boots
	if first.ID == second.ID || second.ID != s.BootID() {
		t.Errorf("boot IDs %s and %s, want two, and the last is %s", first.ID, second.ID, s.BootID())
	}
	first.ID, first.At, second.ID, second.At = "", time.Time{}, "", time.Time{}
	want := []baremetal.Boot{
		{Namespace: s.key.Namespace, Name: s.key.Name, Number: 1}, {Namespace: s.key.Namespace, Name: s.key.Name, Number: 2},
	}
	if diff := cmp.Diff(want, []baremetal.Boot{first, second}); diff != "" {
		t.Errorf("boots (-want +got):\n%s", diff)
	}
}

func TestProgramOfSlowAndHangingMachines(t *testing.T) {
	s := newHarness(t)
	started := make(chan time.Time, 10)
	s.Runs(func(context.Context, baremetal.Boot) { started <- s.clock.Now() })
	s.Set(baremetal.Faults{BootTakes: 10 * time.Minute})
	s.create(func(*metal3api.BareMetalHost) {})
	s.turns(true)
	s.becomes("booted", func() bool { return len(started) == 1 })
	if took := (<-started).Sub(s.last()); took < 10*time.Minute {
		t.Errorf("booted in %s", took)
	}
	s.Set(baremetal.Faults{Hangs: true})
	s.annotate(plain, hard)
	s.becomes("rebooted", func() bool { return s.Boots() == 2 })
	s.stays("no program", func() bool { return len(started) == 0 })
}

func TestMachineOutlivesItsHost(t *testing.T) {
	s := newRunning(t)
	s.annotate(metal3api.DetachedAnnotation, "")
	s.becomes("detached", func() bool { return s.get().Status.OperationalStatus == metal3api.OperationalStatusDetached })
	if err := s.client.Delete(s.ctx, s.get()); err != nil {
		t.Fatal(err)
	}
	s.becomes("gone", func() bool { return s.client.Get(s.ctx, s.key, &metal3api.BareMetalHost{}) != nil })
	if !s.Running() || s.Boots() != 1 {
		t.Fatalf("the machine was touched: %v", s.History())
	}
	s.create(func(*metal3api.BareMetalHost) {})
	s.turns(true)
	if s.Boots() != 1 {
		t.Errorf("a host that was adopted while it ran was booted: %v", s.History())
	}
}
