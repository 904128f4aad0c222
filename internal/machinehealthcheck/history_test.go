package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
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

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestBudgetIsKeptThroughoutHistory: however verdicts, remedies, restarts, lost answers and lagging
// caches follow each other, never are more remedies in flight than allowed, and nobody is remediated
// who is well at that moment.
func TestBudgetIsKeptThroughoutHistory(t *testing.T) {
	for name := range budgets {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			limit := rapid.IntRange(1, 3).Draw(t, "limit")
			mhc := check(append([]build.MachineHealthCheckOption{maxInFlight(fmt.Sprint(limit))}, budgets[name].mhc...)...)
			h := &history{world: newWorld(mhc), limit: limit, options: budgets[name].machine}
			h.Reconciler = h.reconciler()
			for i := range rapid.IntRange(1, 6).Draw(t, "machines") {
				h.judge(h.create(fmt.Sprintf("m%d", i)), metav1.ConditionFalse)
			}
			h.sync(t)
			t.Repeat(h.steps())
		}))
	}
}

// history is a world in which things happen.
type history struct {
	*world
	*Reconciler
	limit   int
	options []build.MachineOption
	born    int
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
		"end a remedy":  h.endRemedy,
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
		h.syncRequests()
	}
}

// judgeOne changes a Machine's verdict; or its Node returns and the verdict does not know yet.
func (h *history) judgeOne(t *rapid.T) {
	machine := h.draw(t)
	switch rapid.SampledFrom([]string{"sick", "sick", "healthy", "undecided", "node returns"}).Draw(t, "how") {
	case "sick":
		h.judge(machine, metav1.ConditionFalse)
	case "healthy":
		h.judge(machine, metav1.ConditionTrue)
	case "undecided":
		h.judge(machine, metav1.ConditionUnknown)
	case "node returns":
		h.nodes.Put(h.key(), build.Node(machine.Name))
	}
}

// endRemedy replaces a Machine, or carries its reboot out; or somebody deletes it.
func (h *history) endRemedy(t *rapid.T) {
	machine := h.draw(t)
	switch rapid.SampledFrom([]string{"replaced", "rebooted", "deleted by hand"}).Draw(t, "how") {
	case "replaced":
		h.create(machine.Name)
	case "rebooted":
		delete(machine.Annotations, remedy.RebootAnnotation)
	case "deleted by hand":
		build.Annotation(byHand, "")(machine)
		build.Deleting(h.clock.Now())(machine)
	}
}

// failNext makes the next remedy fail: the answer gets lost, or the API refuses, or it is impossible.
func (h *history) failNext(t *rapid.T) {
	h.fail = rapid.SampledFrom([]error{context.DeadlineExceeded, apierrors.NewBadRequest("refused"), errors.New("it is for another")}).Draw(t, "error")
	h.failFor = h.draw(t).Name
	h.lost = errors.Is(h.fail, context.DeadlineExceeded) && rapid.Bool().Draw(t, "carried out")
}

func (h *history) check(t *rapid.T) {
	if n := h.inFlight(); n > h.limit {
		t.Fatalf("%d in flight, of at most %d", n, h.limit)
	}
}

// wait lets time pass. No cache is behind for longer than actedLag: that is the assumption.
func (h *history) wait(t *rapid.T) {
	h.clock.SetTime(h.clock.Now().Add(time.Duration(rapid.IntRange(1, 29).Draw(t, "seconds")) * time.Second))
	if h.clock.Now().Sub(h.machinesAt) >= actedLag {
		h.syncMachines()
	}
	if h.clock.Now().Sub(h.requestsAt) >= actedLag {
		h.syncRequests()
	}
}

func (h *history) key() client.ObjectKey { return client.ObjectKeyFromObject(h.cluster) }

func (h *history) draw(t *rapid.T) *clusterv1.Machine {
	var names []string
	for i := range len(h.live.machines) {
		names = append(names, fmt.Sprintf("m%d", i))
	}
	return h.live.machines[rapid.SampledFrom(names).Draw(t, "machine")]
}

// create makes a new Machine, in place of one of the same name.
func (h *history) create(name string) *clusterv1.Machine {
	h.born++
	options := append([]build.MachineOption{build.OwnedBy(machineSet)}, h.options...)
	machine := build.Machine(ns, name, append(options, build.NodeRef(name), build.UID(types.UID(fmt.Sprint(h.born))))...)
	machine.Finalizers = nil
	h.live.machines[name] = machine
	delete(h.live.requests, name)
	return machine
}

// judge stores a verdict that is right.
func (h *history) judge(machine *clusterv1.Machine, status metav1.ConditionStatus) {
	h.nodes.Remove(h.key(), machine.Name)
	if status == metav1.ConditionTrue {
		h.nodes.Put(h.key(), build.Node(machine.Name))
		// The owner takes its mark back as soon as the Machine is healthy.
		meta.RemoveStatusCondition(&machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	}
	meta.RemoveStatusCondition(&machine.Status.Conditions, machinehealth.ConditionType)
	meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition(verdict(status, h.clock.Now())))
}
