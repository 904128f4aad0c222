package remediation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// byDeletion has the record follow a plan that deletes the machine itself.
func byDeletion(s *v1alpha1.MachineRemediationSpec) {
	by(step(v1alpha1.ActionReplace, func(s *v1alpha1.RemediationStep) { s.By = v1alpha1.ReplaceByDeletion }))(s)
}

// pool is a MachinePool that owns a machine.
func (f *harness) pool() *clusterv1.MachinePool {
	f.t.Helper()
	pool := &clusterv1.MachinePool{}
	pool.Namespace, pool.Name = f.ns, "pool"
	pool.Spec.ClusterName, pool.Spec.Replicas = f.cluster.Name, new(int32(1))
	pool.Spec.Template.Spec = build.Machine(f.ns, "of-pool").Spec
	build.Create(f.t.Context(), f.t, f.env.Client, pool)
	return pool
}

func ownedByPool(pool *clusterv1.MachinePool) build.MachineOption {
	return build.MachineFunc(func(m *clusterv1.Machine) {
		m.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(pool, clusterv1.GroupVersion.WithKind("MachinePool"))}
	})
}

// proves has a new machine of the pool stay healthy, and the record say that it has replaced the old one.
func (f *harness) proves(record *v1alpha1.MachineRemediation, pool *clusterv1.MachinePool) {
	f.t.Helper()
	f.wantRecord(record, "Acting WaitingForReplacement replace:-")
	f.wantSlot(record, true)
	b := f.comes("b", ownedByPool(pool))
	f.pass(time.Minute)
	f.judge(b, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Probation Probation replace:-")
	f.pass(time.Minute)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended Replaced replace:Succeeded")
	if n := count(f.writes.since(), "delete Machine a"); n != 1 {
		f.t.Errorf("%d deletions", n)
	}
}

// TestReplaceByDeletion: the machine is deleted once, without a mark, and the pool's next machine proves itself, whether the deletion takes time or
// not.
func TestReplaceByDeletion(t *testing.T) {
	t.Parallel()
	rows(t, map[string][]build.MachineOption{"it takes": {build.Finalizer(keep)}, "at once": nil}, func(t *testing.T, finalizers []build.MachineOption) {
		t.Helper()
		f := newHarness(t)
		pool := f.pool()
		a := f.sick("a", append(finalizers, ownedByPool(pool))...)
		record := f.admit(a, byDeletion)
		f.reconcile(record)
		if finalizers != nil {
			f.wantStanding("a: deleting")
			f.wantRecord(record, "Acting Acting replace:-")
			f.wantBegun(record, a)
			f.goes(a)
		}
		f.reconcile(record)
		if got, _ := stored(f, record); got.Status.Attempts[0].ObjectRef.UID != pool.UID {
			t.Fatalf("it waits for a machine of %+v", got.Status.Attempts[0].ObjectRef)
		}
		f.proves(record, pool)
	})
}

// wantBegun asserts that the attempt at work began when the API server deleted the machine.
func (f *harness) wantBegun(record *v1alpha1.MachineRemediation, machine *clusterv1.Machine) {
	f.t.Helper()
	r, _ := stored(f, record)
	m, _ := stored(f, machine)
	if last := ladder.Last(&r.Status); !last.Begun() || !last.BeganAt.Equal(m.DeletionTimestamp) {
		f.t.Fatalf("it began at %s, and the machine was deleted at %s", last.BeganAt, m.DeletionTimestamp)
	}
}

// TestDeletionIsGuarded: nothing is deleted that should not be, and what it waits for is said.
func TestDeletionIsGuarded(t *testing.T) {
	t.Parallel()
	type row struct {
		machine []build.MachineOption
		happens func(f *harness, a *clusterv1.Machine, pool *clusterv1.MachinePool)
		want    string
		says    string
	}
	rows(t, map[string]row{
		"the pool is paused": {nil, func(f *harness, _ *clusterv1.Machine, pool *clusterv1.MachinePool) {
			annotate(f, pool, clusterv1.PausedAnnotation, "")
		}, "Pending HeldByOthers", "Nobody would replace the machine: MachinePool pool is paused"},
		"the pool wants no machines": {nil, func(f *harness, _ *clusterv1.Machine, pool *clusterv1.MachinePool) {
			change(f, pool, func(p *clusterv1.MachinePool) { p.Spec.Replicas = new(int32(0)) })
		}, "Pending HeldByOthers", "Nobody would replace the machine: MachinePool pool is scaled to zero"},
		"the pool is being deleted": {nil, func(f *harness, _ *clusterv1.Machine, pool *clusterv1.MachinePool) {
			change(f, pool, func(p *clusterv1.MachinePool) { p.Finalizers = []string{keep} })
			remove(f, pool)
		}, "Pending HeldByOthers", "Nobody would replace the machine: MachinePool pool is being deleted"},
		"the Cluster is paused": {nil, func(f *harness, _ *clusterv1.Machine, _ *clusterv1.MachinePool) { setPaused(f, true) },
			"Pending Paused", "Cluster spec.paused is set to true"},
		"the gate is closed": {nil, func(f *harness, _ *clusterv1.Machine, _ *clusterv1.MachinePool) {
			f.gate.closed = "3 of 3 are not healthy"
		},
			"Pending GateClosed", "3 of 3 are not healthy"},
		"the budget is used up": {nil, func(f *harness, _ *clusterv1.Machine, _ *clusterv1.MachinePool) {
			f.gate.over = "2 of at most 1 are in flight"
		},
			"Pending NoSlot", "2 of at most 1 are in flight"},
		"a machine of a control plane": {[]build.MachineOption{build.ControlPlane()}, func(*harness, *clusterv1.Machine, *clusterv1.MachinePool) {},
			"Held NoStepLeft replace:Impossible", "No step is left; the last attempt: Sickbay never deletes a control-plane machine"},
		"its Node is back": {nil, func(f *harness, a *clusterv1.Machine, _ *clusterv1.MachinePool) {
			f.nodes.Put(f.clusterKey(), build.Node(a.Name))
		}, "Pending Undecided", "Sickbay cannot tell at the moment whether the machine is healthy"},
		"it is paused just before": {nil, func(f *harness, a *clusterv1.Machine, _ *clusterv1.MachinePool) {
			f.writes.meddle = onceBefore("delete Machine a", func() { annotate(f, a, clusterv1.PausedAnnotation, "") })
		}, "Pending Paused", "The Machine has the annotation cluster.x-k8s.io/paused"},
		"another owner just before": {nil, func(f *harness, a *clusterv1.Machine, _ *clusterv1.MachinePool) {
			change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Replicas = new(int32(0)) })
			f.writes.meddle = onceBefore("delete Machine a", func() {
				change(f, a, func(m *clusterv1.Machine) { m.OwnerReferences = nil; build.OwnedBy(f.set)(m) })
			})
		}, "Pending HeldByOthers", "Nobody would replace the machine: MachineSet set is scaled to zero"},
	}, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t)
		pool := f.pool()
		a := f.sick("a", append(tt.machine, build.Finalizer(keep), ownedByPool(pool))...)
		record := f.admit(a, byDeletion)
		tt.happens(f, a, pool)
		f.reconcile(record)
		f.wantStanding()
		got, _ := stored(f, record)
		if says := ladder.Progress(&got.Status).Message; !strings.HasPrefix(f.summary(record), tt.want) || !strings.HasPrefix(says, tt.says) {
			t.Errorf("record is %q: %s", f.summary(record), says)
		}
		f.wantSlot(record, false)
	})
}

// onDelete makes the harness's MachineSet one of an older revision of a MachineDeployment with the strategy OnDelete.
func (f *harness) onDelete(with func(*clusterv1.MachineDeployment)) *clusterv1.MachineDeployment {
	f.t.Helper()
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "md", Annotations: map[string]string{clusterv1.RevisionAnnotation: "2"}}}
	d.Spec.ClusterName, d.Spec.Replicas, d.Spec.Template, d.Spec.Selector = f.cluster.Name, new(int32(1)), f.set.Spec.Template, f.set.Spec.Selector
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
	if with != nil {
		with(d)
	}
	build.Create(f.t.Context(), f.t, f.env.Client, d)
	change(f, f.set, func(s *clusterv1.MachineSet) {
		s.Labels, s.Spec.Replicas = map[string]string{clusterv1.MachineDeploymentNameLabel: d.Name}, new(int32(0)) // A rollout has begun.
	})
	return d
}

// TestReplacedInItsOwnMachineSet: during a rolling update, the MachineSet still makes its machines. One that the rollout has made elsewhere is no reason
// not to wait for the next one, and none that replaces it.
func TestReplacedInItsOwnMachineSet(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	of := build.Label(clusterv1.MachineDeploymentNameLabel, "md")
	f.onDelete(func(d *clusterv1.MachineDeployment) {
		d.Spec.Rollout.Strategy.Type = clusterv1.RollingUpdateMachineDeploymentStrategyType
	})
	change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Replicas = new(int32(1)) })
	a, own := f.sick("a", build.Finalizer(keep), of), f.set
	record := f.admit(a, byDeletion)
	f.reconcile(record)
	f.wantStanding("a: deleting")
	f.set = build.MachineSet(f.ns, "newer")
	build.Create(t.Context(), t, f.env.Client, f.set)
	f.comes("surge", of)
	f.set = own
	f.goes(a)
	f.reconcile(record)
	f.wantRecord(record, "Acting WaitingForReplacement replace:-")
	next := f.comes("next", of)
	f.pass(time.Minute)
	f.judge(next, metav1.ConditionTrue)
	f.reconcile(record)
	f.wantRecord(record, "Probation Probation replace:-")
}

// TestDeploymentNeedsNoMore: a MachineDeployment that was scaled down while its machine went makes no other one.
func TestDeploymentNeedsNoMore(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	d := f.onDelete(nil)
	a := f.sick("a", build.Finalizer(keep), build.Label(clusterv1.MachineDeploymentNameLabel, "md"))
	record := f.admit(a, byDeletion)
	f.reconcile(record)
	change(f, d, func(d *clusterv1.MachineDeployment) { d.Spec.Replicas = new(int32(0)) })
	f.goes(a)
	f.reconcile(record)
	f.wantRecord(record, "Ended Ended MachineDeleted replace:Unneeded")
}

// TestDeletionUnderOnDelete: the MachineSet of an older revision refuses every mark, and its MachineDeployment replaces what is deleted, unless it
// wants no machines or is paused.
func TestDeletionUnderOnDelete(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*clusterv1.MachineDeployment)
		says   string
	}{
		"it makes another machine": {nil, ""},
		"it wants none":            {func(d *clusterv1.MachineDeployment) { d.Spec.Replicas = new(int32(0)) }, "MachineDeployment md is scaled to zero"},
		"it is paused":             {func(d *clusterv1.MachineDeployment) { d.Spec.Paused = new(true) }, "MachineDeployment md is paused"},
		"it has the annotation":    {func(d *clusterv1.MachineDeployment) { d.Annotations[clusterv1.PausedAnnotation] = "" }, "MachineDeployment md is paused"},
	} {
		f := newHarness(t)
		f.onDelete(tt.change)
		record := f.admit(f.sick("a", build.Finalizer(keep)), byDeletion)
		f.reconcile(record)
		want, reason := []string{"a: deleting"}, ""
		if tt.says != "" {
			want, reason = nil, "Nobody would replace the machine: "+tt.says
		}
		if diff := cmp.Diff(want, f.standing()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		got, _ := stored(f, record)
		if says := ladder.Progress(&got.Status).Message; !strings.HasPrefix(says, reason) {
			t.Errorf("%s: it says %s", name, says)
		}
	}
}
