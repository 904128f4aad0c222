package e2e_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// round is one remediation with a mishap in it.
type round struct {
	*testing.T
	remedyCase remedyCase
	cluster    client.ObjectKey
	// sick is the machine that falls sick, and others are those that must not be touched.
	sick   *clusterv1.Machine
	others []clusterv1.Machine
	began  time.Time
	// known are all machines from before the round, and recorded is how many records the sick one had.
	known    []types.UID
	recorded int
}

func newRound(t *testing.T, c remedyCase) *round {
	t.Helper()
	r := &round{T: t, remedyCase: c, cluster: c.cluster(), began: time.Now(), known: seen(c.namespace())}
	machines := c.machines(t)
	r.sick, r.others = &machines[0], machines[1:]
	r.recorded = len(harness.Journal.Records(r.sick.UID))
	return r
}

// role returns the role of an object in the round; empty if it has none.
func (r *round) role(resource, name string) string {
	switch resource {
	case "machines":
		return r.machineRole(name)
	case "machineremediations":
		return "the record of " + r.machineRole(machineOf(name))
	}
	return roleOf(resource)
}

// roleOf returns the role of an object that is the only one of its kind with a role. Events have none, because nothing
// depends on them.
func roleOf(resource string) string {
	switch resource {
	case "machinehealthchecks":
		return healthChecks
	case "rebootremediations", "fixremediations", "baremetalhosts":
		return resource
	}
	return ""
}

// healthChecks is the role of a MachineHealthCheck.
const healthChecks = "the MachineHealthCheck"

// The roles of machines.
const (
	theSick   = "the sick machine"
	bystander = "another machine"
	newcomer  = "the new machine"
)

// machineOf returns the machine in the name of a record: the part before the digits of its UID and the ordinal.
func machineOf(record string) string {
	parts := strings.Split(record, "-")
	return strings.Join(parts[:max(0, len(parts)-2)], "-")
}

func (r *round) machineRole(name string) string {
	switch {
	case name == r.sick.Name:
		return theSick
	case slices.ContainsFunc(r.others, func(m clusterv1.Machine) bool { return m.Name == name }):
		return bystander
	}
	return newcomer
}

// play runs the round with a manager and its mishap, and starts the manager again if the mishap ends it.
func (r *round) play(wire *fault.Wire) {
	r.Helper()
	wire.Role = r.role
	ctx, end := context.WithCancel(r.Context())
	var managers sync.WaitGroup
	managers.Go(func() {
		if err := supervise(ctx, r.remedyCase.namespace(), wire); err != nil {
			r.Errorf("running the manager: %v", err)
		}
	})
	defer managers.Wait()
	defer end()
	r.check(r.remedyCase.script)
}

// supervise runs a manager, and another one after a crash.
func supervise(ctx context.Context, namespace string, wire *fault.Wire) error {
	living, kill := context.WithCancel(ctx)
	defer kill()
	wire.Kill = kill
	config, err := harness.Config(ctx)
	if err != nil {
		return err
	}
	if err := runManager(living, namespace, wire.Config(config)); err != nil || !wire.Crashed() {
		return err
	}
	return runManager(ctx, namespace, config)
}

// runManager runs a manager for one namespace in this process until ctx ends.
func runManager(ctx context.Context, namespace string, config *rest.Config) error {
	o := app.DefaultOptions()
	o.Namespace = namespace
	o.HealthProbeBindAddress, o.MetricsBindAddress = "0", "0"
	o.SkipNameValidation = true
	o.RemoteConditionsGracePeriod = 5 * time.Second
	manager, err := app.New(ctx, config, o)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Run(ctx) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(stopTime):
		return fmt.Errorf("the manager has not stopped %s after it was told to\n%s", stopTime, stacks())
	}
}

// stopTime is how long a manager may take to stop. It waits for nothing, but the machine may be busy.
const stopTime = 30 * time.Second

func stacks() string {
	all := make([]byte, 64<<20)
	return string(all[:runtime.Stack(all, true)])
}

// check runs the script, and checks what must be true at the end of every round.
func (r *round) check(script func(*round, *WithT)) {
	r.Helper()
	g := newTest(r.T)
	c := harness.World.Client()
	mhc := r.remedyCase.machineHealthCheck()
	if !r.remedyCase.upgrade {
		r.strike(g)
	}
	g.Expect(c.Create(r.Context(), mhc)).To(Succeed())
	script(r, g)
	g.Eventually(func(g Gomega) { r.settled(g, mhc) }).Should(Succeed())
	g.Eventually(func(g Gomega) { allClosed(g, r.remedyCase.namespace()) }).Should(Succeed())
	g.Expect(harness.Journal.Records(r.sick.UID)).To(HaveLen(r.recorded+1), "one record for one incident")
	g.Expect(harness.Journal.Marks(r.sick.UID)).To(BeNumerically("<=", 1), "marked once")
	for i := range r.others {
		g.Expect(touched(&r.others[i])).To(BeFalse(), "machine %s was touched", r.others[i].Name)
		g.Expect(harness.Journal.Records(r.others[i].UID)).To(HaveLen(0), "machine %s has a record", r.others[i].Name)
	}
	g.Expect(c.Delete(r.Context(), mhc)).To(Succeed())
	g.Eventually(func(g Gomega) {
		for _, machine := range r.remedyCase.list(r.Context(), g) {
			g.Expect(journal.Verdict(&machine)).To(BeNil(), "nobody asks for a verdict on machine %s any more", machine.Name)
		}
	}).Should(Succeed())
}

func (r *round) kubelet() fault.StopKubelet {
	return fault.StopKubelet{Cluster: r.cluster, Node: r.sick.Status.NodeRef.Name, Since: time.Now().Add(-time.Hour)}
}

// strike makes the machine sick, with a start long enough ago.
func (r *round) strike(g *WithT) {
	r.Helper()
	if r.sick.Status.NodeRef.IsDefined() {
		g.Expect(r.kubelet().Inject(r.Context(), harness.World)).To(Succeed())
		return
	}
	g.Expect(fault.AskRemediation{Machine: client.ObjectKeyFromObject(r.sick)}.Inject(r.Context(), harness.World)).To(Succeed())
}

// madeMachines waits until that many new machines exist.
func (r *round) madeMachines(g *WithT, number int) {
	r.Helper()
	g.Eventually(func() int { return len(seen(r.remedyCase.namespace())) - len(r.known) }).Should(Equal(number))
}

// settled expects that all machines are as they should be, and that the MachineHealthCheck says so.
func (r *round) settled(g Gomega, mhc *clusterv1.MachineHealthCheck) {
	machines := r.remedyCase.list(r.Context(), g)
	g.Expect(machines).To(HaveLen(r.remedyCase.left))
	var names []string
	for i := range machines {
		g.Expect(journal.HasVerdict(r.remedyCase.verdict, "")(&machines[i])).To(BeTrue(), "machine %s is not well", machines[i].Name)
		g.Expect(journal.Deleting(&machines[i])).To(BeFalse())
		names = append(names, machines[i].Name)
	}
	now := &clusterv1.MachineHealthCheck{}
	g.Expect(harness.World.Client().Get(r.Context(), client.ObjectKeyFromObject(mhc), now)).To(Succeed())
	g.Expect(now.Labels).To(HaveKeyWithValue(clusterv1.ClusterNameLabel, r.cluster.Name))
	g.Expect(now.OwnerReferences).To(ConsistOf(And(HaveField("Kind", "Cluster"), HaveField("Name", r.cluster.Name))))
	g.Expect(now.Status.ObservedGeneration).To(Equal(now.Generation))
	g.Expect(now.Status.ExpectedMachines).To(HaveValue(BeEquivalentTo(r.remedyCase.left)))
	healthy := 0
	if r.remedyCase.verdict == metav1.ConditionTrue {
		healthy = r.remedyCase.left
	}
	g.Expect(now.Status.CurrentHealthy).To(HaveValue(BeEquivalentTo(healthy)))
	g.Expect(now.Status.Targets).To(ConsistOf(names))
	g.Expect(meta.IsStatusConditionTrue(now.Status.Conditions, clusterv1.MachineHealthCheckRemediationAllowedCondition)).To(BeTrue())
	g.Expect(meta.IsStatusConditionFalse(now.Status.Conditions, clusterv1.PausedCondition)).To(BeTrue())
}

// allClosed expects that all remediations in a namespace have ended, and that their records have no finalizers.
func allClosed(g Gomega, namespace string) {
	records := &v1alpha1.MachineRemediationList{}
	g.Expect(harness.World.Client().List(context.Background(), records, client.InNamespace(namespace))).To(Succeed())
	for _, record := range records.Items {
		g.Expect(record.Status.Phase).To(Equal(v1alpha1.RemediationEnded), "%s: %+v", record.Name, record.Status)
		g.Expect(record.Finalizers).To(BeEmpty())
		g.Expect(record.Labels).NotTo(HaveKey(v1alpha1.OpenLabel))
	}
}

// seen returns all machines that ever existed in a namespace.
func seen(namespace string) []types.UID {
	var all []types.UID
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		if ok && m.Namespace == namespace && !slices.Contains(all, m.UID) {
			all = append(all, m.UID)
		}
		return false
	})
	return all
}
