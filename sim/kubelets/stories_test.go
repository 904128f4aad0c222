package kubelets_test

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

const (
	// patience is the timeout of a Node condition that only a fault brings about.
	patience = 5 * time.Second
	// startPatience is the timeout where a kubelet that has just started reports the condition, too.
	startPatience = 20 * time.Second
	// ahead and behind are clocks that are wrong.
	ahead, behind = "1h", "-1h"
	// slowness is how long a slow API server takes for an answer. Nobody waits for it that long.
	slowness = 20 * time.Second
	// lostGrace is Sickbay's grace period for a cluster that it cannot reach.
	lostGrace = 5 * time.Second
)

// TestKubelets breaks machines with real kubelets, each in a pool of its own, and then ten of a hundred hollow ones at once.
func TestKubelets(t *testing.T) {
	g := NewWithT(t)
	dir, err := os.MkdirTemp("", "kubelets-") //nolint:usetesting // After a failure it stays, and sockets have paths of at most 107 bytes.
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		if t.Failed() {
			t.Log("The logs of the machines are in", dir)
			return
		}
		g.Expect(os.RemoveAll(dir)).To(Succeed())
	})
	s := &stage{T: t, plane: newPlane(t, *programs, dir)}
	s.provider = startProvider(t, harness.World.Client(), s.plane, *programs, dir)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	cluster(t, "blue", s.plane.endpoint(t, "0"))
	harness.Sickbay(t, namespace, "--remote-conditions-grace-period="+lostGrace.String())
	t.Run("one", func(t *testing.T) {
		for name, story := range map[string]func(*stage){
			"a kubelet stops": stops, "a kubelet comes back": comesBack, "a disk fills": diskFills, "a container runtime dies": runtimeDies,
			"a clock is ahead": clockAhead, "a clock is behind": clockBehind, "a machine never joins": neverJoins, "an endpoint is slow": slowEndpoint,
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				story(s.in(t))
			})
		}
	})
	t.Run("ten of a hundred stop", func(t *testing.T) { tenStop(s.in(t)) })
}

func stops(s *stage) {
	p := s.pool("stops", 2, kit{}, after(corev1.NodeReady, corev1.ConditionUnknown, patience))
	machines := p.up()
	broken := p.stops(&machines[0])
	p.says(&machines[0], corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", broken)
	p.replaced(&machines[0], "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5s", broken)
	p.Expect(touched(&machines[1])).To(BeFalse())
	p.Expect(p.provider.machine(machines[0].Name)).To(BeNil(), "its processes have ended")
}

func comesBack(s *stage) {
	p := s.pool("back", 1, kit{}, after(corev1.NodeReady, corev1.ConditionUnknown, startPatience))
	machine := &p.up()[0]
	broken := p.stops(machine)
	p.says(machine, corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", broken)
	p.judged(machine, metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", "Waiting for unhealthyCondition timeout", broken)
	p.Expect(p.provider.machine(machine.Name).signal(syscall.SIGCONT)).To(Succeed())
	p.says(machine, corev1.NodeReady, corev1.ConditionTrue, "KubeletReady", broken)
	p.healthy()
	p.Consistently(func() bool { return touched(machine) }, startPatience).Should(BeFalse(), "until after its deadline")
	p.Expect(harness.Journal.Records(machine.UID)).To(BeEmpty())
}

func diskFills(s *stage) {
	p := s.pool("disk", 1, kit{SmallDisk: true}, after(corev1.NodeDiskPressure, corev1.ConditionTrue, patience))
	machine := &p.up()[0]
	broken := time.Now()
	p.Expect(p.provider.machine(machine.Name).fill()).To(Succeed())
	p.says(machine, corev1.NodeDiskPressure, corev1.ConditionTrue, "KubeletHasDiskPressure", broken)
	p.replaced(machine, "DiskPressureUnhealthy", "Node condition DiskPressure is True for more than 5s", broken)
}

func runtimeDies(s *stage) {
	p := s.pool("runtime", 1, kit{}, after(corev1.NodeReady, corev1.ConditionFalse, startPatience))
	p.losesRuntime(&p.up()[0])
}

// clockAhead: a condition of a clock that is an hour ahead counts from the first look at it.
func clockAhead(s *stage) {
	p := s.pool("ahead", 1, kit{ClockOffset: ahead}, after(corev1.NodeReady, corev1.ConditionFalse, startPatience))
	machine := &p.up()[0]
	p.isOff(machine, ahead)
	p.losesRuntime(machine)
}

// clockBehind: a Node whose clock is an hour behind says that it has not been Ready for an hour when it has just joined. Like any other, it has its
// time. When its kubelet stops, the controller manager says since when.
func clockBehind(s *stage) {
	p := s.pool("behind", 1, kit{ClockOffset: behind}, after(corev1.NodeReady, corev1.ConditionFalse, startPatience),
		after(corev1.NodeReady, corev1.ConditionUnknown, patience))
	p.provider.makes(p.deployment(), noNetwork)
	joined := time.Now()
	p.create()
	machine := p.newest()
	p.provider.makes(p.deployment(), none)
	p.says(machine, corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady", joined)
	p.isOff(machine, behind)
	p.judged(machine, metav1.ConditionUnknown, "NodeConditionsNotYetUnhealthy", "Waiting for unhealthyCondition timeout", joined)
	p.Expect(p.provider.machine(machine.Name).connect()).To(Succeed())
	p.healthy()
	p.Expect(touched(machine)).To(BeFalse())

	broken := p.stops(machine)
	p.says(machine, corev1.NodeReady, corev1.ConditionUnknown, "NodeStatusUnknown", broken)
	p.replaced(machine, "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5s", broken)
}

func neverJoins(s *stage) {
	p := s.pool("joins", 1, kit{})
	p.startup = 30 * time.Second
	old := p.up()[0]
	p.provider.makes(p.deployment(), noAPIServer)
	p.size = 2
	deployment := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: p.deployment()}}
	p.Expect(harness.World.Client().Patch(s.Context(), deployment, client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":2}}`)))).To(Succeed())
	broken := time.Now()
	lost := p.newest(old.UID)
	p.provider.makes(p.deployment(), none)
	p.replaced(lost, "NodeStartupTimedOut", "Node failed to start within 30s", broken)
	p.Expect(touched(&old)).To(BeFalse())
}

// slowEndpoint: the API server of one cluster takes too long to answer. Its machines become Unknown and are left alone, whatever happens to them.
// Another cluster is judged and repaired as ever.
func slowEndpoint(s *stage) {
	way := s.plane.endpoint(s.T, "0")
	cluster(s.T, "green", way)
	unknown := after(corev1.NodeReady, corev1.ConditionUnknown, patience)
	green, blue := s.pool("slow", 2, kit{}, unknown), s.pool("beside", 1, kit{}, unknown)
	green.cluster = "green"
	beside, machines := &blue.up()[0], green.up()
	sick, well := &machines[0], &machines[1]
	way.slow(slowness)
	blue.stops(beside)
	broken := green.stops(sick)
	blue.replaced(beside, "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5s", broken)
	for i := range machines {
		green.judged(&machines[i], metav1.ConditionUnknown, "NodeUnavailable", "Node cannot be read: connection to the workload cluster is down", broken)
	}
	green.Consistently(func() bool { return touched(sick) || touched(well) }, 2*patience).Should(BeFalse())
	// What the watch tells late is true, so there may be a record. But nothing is done without another look, which fails.
	for _, record := range harness.Journal.Records(sick.UID) {
		green.Expect(record.Status.Attempts).To(HaveEach(HaveField("Result", v1alpha1.ResultNotBegun)))
	}
	way.slow(0)
	green.repaired(sick, time.Now())
	green.Expect(touched(well)).To(BeFalse())
}

// tenStop: only three machines are under repair at once, and the other ninety are not touched.
func tenStop(s *stage) {
	const many, sick, atOnce = 100, 10, 3
	p := s.pool("many", many, kit{Hollow: true}, after(corev1.NodeReady, corev1.ConditionUnknown, patience))
	p.inFlight = strconv.Itoa(atOnce)
	started := time.Now()
	machines := p.up()
	p.log(time.Now(), started, "%d machines are healthy", many)
	var broken time.Time
	for i := range machines[:sick] {
		broken = p.stops(&machines[i])
	}
	for i := range machines[:sick] {
		p.replaced(&machines[i], "ReadyUnhealthy", "Node condition Ready is Unknown for more than 5s", broken)
	}
	for i := range machines[sick:] {
		p.Expect(touched(&machines[sick+i])).To(BeFalse(), machines[sick+i].Name)
	}
	p.Expect(deletedAtOnce(p.deployment())).To(BeNumerically("<=", atOnce))
}

// stops freezes the kubelet of a machine, and returns when.
func (p *pool) stops(machine *clusterv1.Machine) time.Time {
	p.Helper()
	p.Expect(p.provider.machine(machine.Name).signal(syscall.SIGSTOP)).To(Succeed())
	return time.Now()
}

// isOff expects that the clock of a machine is wrong.
func (p *pool) isOff(machine *clusterv1.Machine, offset string) {
	p.Helper()
	wrong, err := time.ParseDuration(offset)
	p.Expect(err).NotTo(HaveOccurred())
	p.Expect(p.node(p, machine, corev1.NodeReady).LastTransitionTime.Time).To(BeTemporally("~", time.Now().Add(wrong), long))
}

// losesRuntime kills the container runtime of a machine, and sees it replaced.
func (p *pool) losesRuntime(machine *clusterv1.Machine) {
	p.Helper()
	broken := time.Now()
	p.Expect(p.provider.machine(machine.Name).killRuntime()).To(Succeed())
	p.says(machine, corev1.NodeReady, corev1.ConditionFalse, "KubeletNotReady", broken)
	p.Expect(p.node(p, machine, corev1.NodeReady).Message).To(ContainSubstring("container runtime is down"))
	p.replaced(machine, "ReadyUnhealthy", "Node condition Ready is False for more than 20s", broken)
}

// says waits until the Node of a machine has a condition.
func (p *pool) says(machine *clusterv1.Machine, condition corev1.NodeConditionType, status corev1.ConditionStatus, reason string, since time.Time) {
	p.Helper()
	p.Eventually(func(g Gomega) {
		c := p.node(g, machine, condition)
		g.Expect(c.Status).To(Equal(status))
		g.Expect(c.Reason).To(Equal(reason))
	}).Should(Succeed())
	p.log(time.Now(), since, "Node %s says %s=%s %s", machine.Name, condition, status, reason)
}

// judged waits for a verdict on a machine, written since a fault; an empty message is any.
func (p *pool) judged(machine *clusterv1.Machine, status metav1.ConditionStatus, reason, message string, since time.Time) {
	p.Helper()
	entry, err := harness.Journal.Await(p.wait(), reason+" of "+machine.Name, func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && e.At.After(since) && journal.HasVerdict(status, reason)(m)
	})
	p.Expect(err).NotTo(HaveOccurred())
	verdict := journal.Verdict(entry.Object.(*clusterv1.Machine))
	p.log(entry.At, since, "Machine %s is judged %s %s %q", machine.Name, status, reason, verdict.Message)
	if message != "" {
		p.Expect(verdict.Message).To(Equal(message))
	}
}

// replaced waits until a machine is judged unhealthy and replaced, and the pool is healthy again.
func (p *pool) replaced(machine *clusterv1.Machine, reason, message string, since time.Time) {
	p.Helper()
	p.judged(machine, metav1.ConditionFalse, reason, message, since)
	p.repaired(machine, since)
}

// repaired waits until a machine that is judged unhealthy is replaced, and the pool is healthy again.
func (p *pool) repaired(machine *clusterv1.Machine, since time.Time) {
	p.Helper()
	deleting, err := harness.Journal.Machine(p.wait(), machine.UID, "the deletion of "+machine.Name, journal.Deleting)
	p.Expect(err).NotTo(HaveOccurred())
	p.log(deleting.At, since, "Machine %s is being deleted", machine.Name)
	record, err := harness.Journal.Record(p.wait(), machine.UID, "the end of the record of "+machine.Name, journal.EndedAs(v1alpha1.ReasonReplaced))
	p.Expect(err).NotTo(HaveOccurred())
	p.log(record.At, since, "record %s has ended: Replaced", record.Object.GetName())
	p.Expect(harness.Journal.Records(machine.UID)).To(HaveLen(1))
	p.healthy()
	p.log(time.Now(), since, "%s is healthy", p.deployment())
}

func (p *pool) log(at, since time.Time, format string, args ...any) {
	p.Helper()
	p.Logf("%5.1f s  "+format, append([]any{at.Sub(since).Seconds()}, args...)...)
}

func (p *pool) wait() context.Context {
	ctx, cancel := context.WithTimeout(p.Context(), long)
	p.Cleanup(cancel)
	return ctx
}

// touched reports whether anything was ever done to a machine.
func touched(machine *clusterv1.Machine) bool {
	_, found := harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.UID == machine.UID && (e.Gone || journal.Deleting(m) || journal.Marked(m))
	})
	return found
}

// deletedAtOnce returns how many machines of a pool were being deleted at the same time, at most.
func deletedAtOnce(deployment string) (most int) {
	deleting := map[types.UID]bool{}
	harness.Journal.Find(func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		switch {
		case !ok || m.Labels[clusterv1.MachineDeploymentNameLabel] != deployment:
		case e.Gone:
			delete(deleting, m.UID)
		case journal.Deleting(m):
			deleting[m.UID] = true
		}
		most = max(most, len(deleting))
		return false
	})
	return most
}
