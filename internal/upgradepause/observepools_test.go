package upgradepause

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// someNodes are the Nodes of each MachineHealthCheck's machines.
type someNodes []*corev1.Node

func (s someNodes) Nodes(context.Context, *metav1.PartialObjectMetadata) ([]*corev1.Node, error) {
	return s, nil
}

// TestOverrideOutlivesTheMachine: a person lifts the pause so that the only machine of a MachineHealthCheck is replaced. Meanwhile
// the pool has no Node of the machine, or none that is behind. Afterwards the pool goes on updating.
func TestOverrideOutlivesTheMachine(t *testing.T) {
	worker := someNodes{{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{workerRole: ""}}}}
	at := func(has stored, nodes someNodes, pool *mcfgv1.MachineConfigPool) (stored, pause.Decision) {
		check := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: has}}
		f := pause.Facts{Annotations: has, WarnAfter: warnAfter}
		f.Add(machineConfigPools{nodes: nodes}.read(t.Context(), check, pool, []mcfgv1.MachineConfigPool{*pool}))
		d := pause.Decide(f, one)
		return has.After(d.Changes), d
	}
	pool := workers(3, 2, corev1.ConditionTrue)
	for name, gap := range map[string]struct {
		nodes someNodes
		pool  *mcfgv1.MachineConfigPool
	}{
		"no Node of it in the pool":    {nil, pool},
		"no Node that is behind":       {worker, workers(2, 2, corev1.ConditionTrue)},
		"neither":                      {nil, workers(2, 2, corev1.ConditionTrue)},
		"its Node is in no pool now":   {someNodes{{}}, pool},
		"Updating is False meanwhile":  {worker, workers(2, 2, corev1.ConditionFalse)},
		"it has other Nodes meanwhile": {someNodes{{}, {}}, pool},
	} {
		t.Run(name, func(t *testing.T) {
			has, d := at(stored{}, worker, pool)
			if d.Transition != pause.Begin {
				t.Fatalf("not paused: %+v", d)
			}
			has, d = at(has.But(keyPaused), worker, pool)
			if d.Transition != pause.Overridden {
				t.Fatalf("not overridden: %+v", d)
			}
			has, _ = at(has, gap.nodes, gap.pool)
			if has, d = at(has, worker, pool); d.Paused {
				t.Errorf("the person is overruled in the same update of the pool: %v", has)
			}
		})
	}
}

// TestElsewhereIsNotNoted: a pool that does not concern a MachineHealthCheck is not noted on it.
func TestElsewhereIsNotNoted(t *testing.T) {
	pool := workers(3, 1, corev1.ConditionFalse)
	f := pause.Facts{Annotations: ours("clusterversion/x", noon), Upgrades: upgrading("clusterversion/x"), WarnAfter: warnAfter}
	f.Add(machineConfigPools{nodes: someNodes{}}.read(t.Context(), &metav1.PartialObjectMetadata{}, pool, []mcfgv1.MachineConfigPool{*pool}))
	if d := pause.Decide(f, one); len(d.Changes) > 0 {
		t.Errorf("written: %v", d.Changes)
	}
}

// TestInfraIsNoWorker: machines in a custom pool are not paused while the workers' pool updates, but while their own does.
func TestInfraIsNoWorker(t *testing.T) {
	node := someNodes{{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{workerRole: "", infraRole: ""}}}}
	worker, infra := workers(3, 1, corev1.ConditionTrue), workers(1, 0, corev1.ConditionTrue)
	infra.Name, infra.Spec.NodeSelector.MatchLabels = "infra", map[string]string{infraRole: ""}
	all := []mcfgv1.MachineConfigPool{*infra, *worker}
	for pool, elsewhere := range map[*mcfgv1.MachineConfigPool]bool{worker: true, infra: false} {
		reading := machineConfigPools{nodes: node}.read(t.Context(), &metav1.PartialObjectMetadata{}, pool, all)
		if reading.Elsewhere != elsewhere {
			t.Errorf("pool %s is elsewhere: %t", pool.Name, reading.Elsewhere)
		}
	}
}

// oneNode is the Node of each MachineHealthCheck's machines.
type oneNode struct {
	labels map[string]string
	err    error
}

func (o oneNode) Nodes(context.Context, *metav1.PartialObjectMetadata) ([]*corev1.Node, error) {
	return []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Labels: o.labels}}}, o.err
}

// TestPoolConcerns: a pool concerns the MachineHealthChecks of its Nodes, or all if that is not known.
func TestPoolConcerns(t *testing.T) {
	pool := workers(3, 1, corev1.ConditionTrue)
	odd := pool.DeepCopy()
	odd.Spec.NodeSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: "?"}}
	for name, tt := range map[string]struct {
		pool  *mcfgv1.MachineConfigPool
		nodes oneNode
		want  pause.Facts
	}{
		"its Node is in the pool":       {pool, oneNode{labels: map[string]string{workerRole: ""}}, pause.Facts{Upgrades: upgradesOf(t, pool)}},
		"its Node is in another one":    {pool, oneNode{labels: map[string]string{"node-role.kubernetes.io/master": ""}}, pause.Facts{}},
		"Nodes cannot be read":          {pool, oneNode{err: errors.New("no permission")}, pause.Facts{Upgrades: upgradesOf(t, pool)}},
		"Nodes have not been read yet":  {pool, oneNode{err: pause.ErrStarting}, pause.Facts{Unknown: []pause.Unknown{{IDs: "machineconfigpool/worker/"}}}},
		"the pool's selector is odd":    {odd, oneNode{}, pause.Facts{Upgrades: upgradesOf(t, odd)}},
		"no update: nobody looks there": {workers(3, 3, corev1.ConditionTrue), oneNode{err: pause.ErrStarting}, pause.Facts{}},
	} {
		t.Run(name, func(t *testing.T) {
			var got pause.Facts
			got.Add(machineConfigPools{nodes: tt.nodes}.read(t.Context(), &metav1.PartialObjectMetadata{}, tt.pool, []mcfgv1.MachineConfigPool{*tt.pool}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func upgradesOf(t *testing.T, pool *mcfgv1.MachineConfigPool) []pause.Upgrade {
	t.Helper()
	upgrades, err := pause.OfPool(pool, nil)
	if err != nil {
		t.Fatal(err)
	}
	return upgrades
}

// storePool keeps a pool on the API server until the test ends.
func storePool(t *testing.T, e *env.Env, pool *mcfgv1.MachineConfigPool) *mcfgv1.MachineConfigPool {
	t.Helper()
	status := pool.Status
	if err := e.Client.Create(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.IgnoreNotFound(e.Client.Delete(context.Background(), pool)); err != nil {
			t.Error(err)
		}
	})
	pool.Status = status
	storePoolStatus(t, e, pool)
	return pool
}

func storePoolStatus(t *testing.T, e *env.Env, pool *mcfgv1.MachineConfigPool) {
	t.Helper()
	if err := e.Client.Status().Update(t.Context(), pool); err != nil {
		t.Fatal(err)
	}
}

// TestManagerPools: ClusterVersion reports the end while workers still reboot. OpenShift's MachineHealthChecks with Nodes in the
// pool stay paused until all its machines are done; others do not, nor do Cluster API's.
func TestManagerPools(t *testing.T) {
	s := newStage(t)
	cv := newOpenshift(t, s.env)
	s.Expect(s.installed.Set()).To(Succeed())
	s.openshiftMachine("worker", map[string]any{"machine.openshift.io/cluster-api-machine-role": "worker"})
	node := s.node("worker")
	node.Labels = map[string]string{workerRole: ""}
	s.Expect(s.env.Client.Update(t.Context(), node)).To(Succeed())
	s.check(OpenShiftKind, "workers", nil)
	s.check(ClusterAPIKind, "capi", nil)
	pool := workers(3, 3, corev1.ConditionFalse)
	master := workers(3, 3, corev1.ConditionFalse)
	master.Name, master.Spec.NodeSelector.MatchLabels = "master", map[string]string{"node-role.kubernetes.io/master": ""}
	storePool(t, s.env, pool)
	storePool(t, s.env, master)
	s.run(s.env.Config)
	s.Expect(s.pools.Set()).To(Succeed())
	mhc, capi := s.annotations(OpenShiftKind, "workers"), s.annotations(ClusterAPIKind, "capi")

	cv.begin(t, "4.17.3", noon)
	cvID := "clusterversion/" + at(noon)
	s.Eventually(mhc).Should(Equal(ours(cvID, noon)))
	s.Eventually(capi).Should(Equal(ours(cvID, noon)))
	pool.Status = workers(3, 1, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(ours(cvID+",machineconfigpool/worker/"+at(noon), noon)))
	cv.end(t)
	s.Eventually(capi).Should(Equal(resumed(noon)))
	s.Eventually(mhc).Should(Equal(ours("machineconfigpool/worker/"+at(noon), noon)), "its workers still reboot")
	over := s.later()
	pool.Status = workers(3, 3, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(resumed(over)))

	master.Status = workers(3, 1, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, master)
	pool.Status = workers(3, 2, corev1.ConditionTrue).Status
	storePoolStatus(t, s.env, pool)
	s.Eventually(mhc).Should(Equal(ours("machineconfigpool/worker/"+at(noon), over).And(resumed(over))), "the pool of the masters never concerned it")
	s.Expect(s.env.Client.Delete(t.Context(), pool)).To(Succeed())
	s.Eventually(mhc).Should(Equal(resumed(over)), "the pool is gone")
}
