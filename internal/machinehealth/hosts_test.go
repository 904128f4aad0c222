package machinehealth

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// hostOf makes the host of the harness's Machine.
func (f *harness) hostOf() *metal3v1.BareMetalHost {
	f.t.Helper()
	ref := f.machine.Spec.InfrastructureRef
	host := &metal3v1.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.machine.Namespace, Name: "host"},
		Spec: metal3v1.BareMetalHostSpec{ConsumerRef: &corev1.ObjectReference{
			APIVersion: ref.APIGroup + "/v1beta1", Kind: ref.Kind, Namespace: f.machine.Namespace, Name: ref.Name,
		}},
	}
	if err := f.env.Client.Create(f.t.Context(), host); err != nil {
		f.t.Fatal(err)
	}
	return host
}

// fails makes a host fail with a message, as its operator reports after each attempt.
func (f *harness) fails(host *metal3v1.BareMetalHost, message string) {
	f.t.Helper()
	objects.ChangeStatus(f.t, f.env.Client, host, func(h *metal3v1.BareMetalHost) {
		status := &h.Status
		status.ErrorType, status.ErrorMessage, status.ErrorCount = metal3v1.PowerManagementError, message, status.ErrorCount+1
		status.OperationalStatus = metal3v1.OperationalStatusError
		if message == "" {
			status.ErrorType, status.OperationalStatus = "", metal3v1.OperationalStatusOK
		}
	})
}

// readHosts gives the Reconciler the hosts, from the cache of a manager, and returns the manager.
func (f *harness) readHosts() {
	f.t.Helper()
	f.env.Manager(f.t, env.ManagerOptions{Namespaces: []string{f.machine.Namespace}, Setup: func(mgr ctrl.Manager) error {
		f.Observer.Hosts = &Hosts{Client: mgr.GetClient(), Live: f.env.Client}
		return f.Observer.Hosts.Appeared(f.t.Context(), mgr.GetFieldIndexer())
	}})
}

// cached waits until the cache is up to date with the host.
func (f *harness) cached() {
	f.t.Helper()
	NewWithT(f.t).Eventually(func(g Gomega) {
		stored, err := f.Observer.Hosts.of(f.t.Context(), f.machine, false)
		g.Expect(err).NotTo(HaveOccurred())
		live, err := f.Observer.Hosts.of(f.t.Context(), f.machine, true)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(stored).To(Equal(live))
		g.Expect(stored.Name).NotTo(BeEmpty())
	}, patience).Should(Succeed())
}

// hostCondition returns the Machine's condition about its host.
func (f *harness) hostCondition() metav1.Condition {
	f.t.Helper()
	machine := &clusterv1.Machine{}
	if err := f.env.Client.Get(f.t.Context(), client.ObjectKeyFromObject(f.machine), machine); err != nil {
		f.t.Fatal(err)
	}
	return conditions.Of(machine.Status.Conditions, verdict.HostConditionType)
}

func (f *harness) hostErrorTimeout(timeout string) {
	f.t.Helper()
	change(f, f.mhc, func(mhc *clusterv1.MachineHealthCheck) {
		build.Annotation(mhcspec.HostErrorTimeoutAnnotation, timeout)(mhc)
	})
}

// looks judges the Machine some time after the start, and returns the status of its condition
// about the host.
func (f *harness) looks(after time.Duration) metav1.ConditionStatus {
	f.t.Helper()
	f.cached()
	f.clock.SetTime(f.start.Add(after))
	f.reconcile()
	f.reconcile() // the verdict depends on the condition about the host
	return f.hostCondition().Status
}

// TestHostErrors follows errors of a host from the first one until they are no longer judged.
func TestHostErrors(t *testing.T) {
	f := newHarness(t)
	host := f.hostOf()
	f.hostErrorTimeout("10m")
	f.readHosts()
	is := func(after time.Duration, host metav1.ConditionStatus, verdict string) {
		t.Helper()
		if got := f.looks(after); got != host || f.reason() != verdict {
			t.Fatalf("after %s: the host is healthy: %q, the verdict is %q", after, got, f.reason())
		}
	}
	is(0, metav1.ConditionTrue, "")
	f.fails(host, "the BMC does not answer")
	is(time.Minute, metav1.ConditionFalse, "")
	// The operator retries, and fails again with another message: the clock goes on.
	f.fails(host, "")
	is(4*time.Minute, metav1.ConditionFalse, "")
	f.fails(host, "the BMC answers nonsense")
	is(6*time.Minute, metav1.ConditionFalse, "")
	f.restart()
	f.readHosts()
	is(11*time.Minute-time.Second, metav1.ConditionFalse, "")
	is(11*time.Minute, metav1.ConditionFalse, verdict.ReasonHostError)
	f.stored(metav1.ConditionFalse, verdict.ReasonHostError, "Host host has an error: power management error: the BMC answers nonsense")

	f.fails(host, "")
	is(12*time.Minute, metav1.ConditionFalse, verdict.ReasonHostError)
	is(15*time.Minute, metav1.ConditionTrue, "")
	f.hostErrorTimeout("0")
	is(16*time.Minute, "", "")
	expect.Condition(t.Context(), t, f.env.Client, f.machine, "HealthCheckSucceeded")
}

// TestHostsWakeTheController: a host wakes the controller as soon as it has an error.
func TestHostsWakeTheController(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t)
	host := f.hostOf()
	f.hostErrorTimeout("1ns")
	f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.machine.Namespace}, Setup: func(mgr ctrl.Manager) error {
		r := &Reconciler{Observer: &Observer{Nodes: f.nodes, Hosts: &Hosts{Client: mgr.GetClient(), Live: mgr.GetAPIReader()}}, Recorder: f.events}
		if err := mhcspec.AddIndexes(t.Context(), mgr.GetFieldIndexer()); err != nil {
			return err
		}
		if err := r.AddToManager(mgr); err != nil {
			return err
		}
		if err := r.Observer.Hosts.Appeared(t.Context(), mgr.GetFieldIndexer()); err != nil {
			return err
		}
		return r.HostsAppeared(mgr.GetCache())
	}})
	g.Eventually(func() string { return f.hostCondition().Reason }, patience).Should(Equal(verdict.ReasonHostHasNoError))
	f.fails(host, "the BMC does not answer")
	g.Eventually(f.reason, patience).Should(Equal(verdict.ReasonHostError))
}

// TestHostIsJudgedAnew: before a repair, the host is read again past the cache.
func TestHostIsJudgedAnew(t *testing.T) {
	f := newHarness(t)
	host := f.hostOf()
	f.hostErrorTimeout("1m")
	f.fails(host, "no")
	f.readHosts()
	f.looks(0)
	judged := func(want bool) {
		t.Helper()
		machine, mhc := &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{}
		for _, obj := range []struct{ from, to client.Object }{{f.machine, machine}, {f.mhc, mhc}} {
			if err := f.env.Client.Get(t.Context(), client.ObjectKeyFromObject(obj.from), obj.to); err != nil {
				t.Fatal(err)
			}
		}
		facts, err := f.Observer.Facts(t.Context(), machine, mhc, f.cluster, true)
		if err != nil {
			t.Fatal(err)
		}
		if sick := verdict.Decide(facts, f.start.Add(time.Hour)).Status == healthcheck.False; sick != want {
			t.Errorf("the Machine is sick: %t", sick)
		}
	}
	judged(true)
	f.fails(host, "")
	judged(false)
	f.fails(host, "no")
	judged(true)
	change(f, host, func(h *metal3v1.BareMetalHost) { h.Spec.ConsumerRef.Name = "other" })
	judged(false)
}
