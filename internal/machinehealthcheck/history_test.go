package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestBudgetIsKeptThroughoutHistory: however verdicts, repairs, restarts, lost answers and lagging caches follow each other,
// never are more slots given than allowed, never has a machine two open records, and once all faults stop, nobody who is
// sick is left without a record as long as there are slots.
func TestBudgetIsKeptThroughoutHistory(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 3).Draw(t, "limit")
		mhc := build.MachineHealthCheck("ns", "mhc", maxInFlight(fmt.Sprint(limit)))
		h := &history{world: newWorld(mhc), limit: limit}
		h.Reconciler = h.reconciler()
		for i := range rapid.IntRange(1, 6).Draw(t, "machines") {
			h.judge(h.create(fmt.Sprintf("m%d", i)), metav1.ConditionFalse)
		}
		h.sync(t)
		t.Repeat(h.steps())
		h.settle(t)
	})
}

// history is a world in which things happen.
type history struct {
	*world
	*Reconciler
	limit int
	born  int
}

func (h *history) steps() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":          h.check,
		"reconcile": h.reconcile,
		"restart": func(t *rapid.T) {
			h.Reconciler = h.reconciler()
			h.reconcile(t)
		},
		"sync":          h.sync,
		"wait":          h.wait,
		"judge":         h.judgeOne,
		"go on":         h.goOn,
		"machine goes":  h.goAway,
		"fail the next": h.failNext,
	}
}

func (h *history) reconcile(*rapid.T) {
	_, _ = h.Reconcile(context.Background(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(h.mhc)})
}

// sync brings one of the caches up to date, or both.
func (h *history) sync(t *rapid.T) {
	which := rapid.IntRange(0, 2).Draw(t, "which")
	if which != 0 {
		h.syncMachines()
	}
	if which != 1 {
		h.syncRecords()
	}
}

// judgeOne changes a Machine's verdict.
func (h *history) judgeOne(t *rapid.T) {
	h.judge(h.draw(t), rapid.SampledFrom([]metav1.ConditionStatus{
		metav1.ConditionFalse, metav1.ConditionFalse, metav1.ConditionTrue, metav1.ConditionUnknown,
	}).Draw(t, "verdict"))
}

// goOn is what the remediation controller does about a record: it gives its slot back, or ends it.
func (h *history) goOn(t *rapid.T) {
	names := slices.Sorted(maps.Keys(h.live.records))
	if len(names) == 0 {
		return
	}
	r := h.live.records[rapid.SampledFrom(names).Draw(t, "record")]
	if ladder.Ended(r) {
		return
	}
	at := metav1.NewTime(h.clock.Now().Add(time.Duration(rapid.IntRange(0, 60).Draw(t, "pause")) * time.Second))
	if rapid.Bool().Draw(t, "ends") {
		r.Status.CompletionTime = &at
		if rapid.Bool().Draw(t, "closed") {
			delete(r.Labels, v1alpha1.OpenLabel)
		}
	} else {
		r.Status.Attempt, r.Status.Step, r.Status.ReleasedGrant, r.Status.NextTransitionTime = 1, r.Spec.Steps[0].Name, r.Spec.Grant, &at
		r.Status.SlotWanted = true
	}
	r.ResourceVersion = h.nextVersion()
}

// goAway replaces a Machine by another of its name.
func (h *history) goAway(t *rapid.T) { h.create(h.draw(t).Name) }

// failNext makes the next write of a record fail: the answer gets lost, or the API refuses.
func (h *history) failNext(t *rapid.T) {
	h.fail = rapid.SampledFrom([]error{context.DeadlineExceeded, apierrors.NewBadRequest("refused")}).Draw(t, "error")
	h.failFor = h.draw(t).Name
	h.lost = errors.Is(h.fail, context.DeadlineExceeded) && rapid.Bool().Draw(t, "carried out")
}

func (h *history) check(t *rapid.T) {
	if n := h.inFlight(); n > h.limit {
		t.Fatalf("%d in flight, of at most %d", n, h.limit)
	}
	for _, r := range h.live.records {
		if open := h.openOf(r.Spec.MachineRef.UID); len(open) > 1 {
			t.Fatalf("machine %s has %d open records", r.Spec.MachineRef.Name, len(open))
		}
	}
}

func (h *history) wait(t *rapid.T) {
	h.clock.SetTime(h.clock.Now().Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "seconds")) * time.Second))
}

// settle lets all faults stop. What is then due has to be admitted within three looks.
func (h *history) settle(t *rapid.T) {
	h.fail = nil
	for range 3 {
		h.clock.SetTime(h.clock.Now().Add(10 * time.Minute))
		h.syncMachines()
		h.syncRecords()
		h.reconcile(t)
		h.check(t)
	}
	if h.inFlight() == h.limit {
		return
	}
	for name, machine := range h.live.machines {
		sick := meta.IsStatusConditionFalse(machine.Status.Conditions, verdict.ConditionType)
		open := h.openOf(machine.UID)
		if sick && (len(open) == 0 || !ladder.HasSlot(open[0])) {
			t.Fatalf("%s waits, though %d of %d slots are taken: %v", name, h.inFlight(), h.limit, open)
		}
	}
}

func (h *history) draw(t *rapid.T) *clusterv1.Machine {
	names := slices.Sorted(maps.Keys(h.live.machines))
	return h.live.machines[rapid.SampledFrom(names).Draw(t, "machine")]
}

// create makes a new Machine, in place of one of the same name.
func (h *history) create(name string) *clusterv1.Machine {
	h.born++
	machine := build.Machine("ns", name, build.NodeRef(name), build.UID(types.UID(fmt.Sprint(h.born))))
	machine.Finalizers = nil
	h.live.machines[name] = machine
	return machine
}

// judge stores a verdict.
func (h *history) judge(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	meta.RemoveStatusCondition(&machine.Status.Conditions, verdict.ConditionType)
	meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition(judgedAs(status, h.clock.Now())))
}
