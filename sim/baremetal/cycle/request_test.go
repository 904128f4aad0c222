package cycle_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// syncPeriod is too long to have any effect in a test.
const syncPeriod = time.Hour

const plainKey = "reboot.metal3.io"

// eventually waits in real time, for what does not depend on the fake clock.
func (s *harness) eventually(what string, so func() bool) {
	s.Helper()
	NewWithT(s).Eventually(so).WithTimeout(patience).WithPolling(2*time.Millisecond).Should(BeTrue(), func() string {
		return what + "\n" + s.state()
	})
}

// request asks for a cycle as a MachineRemediation does.
func (m *machine) request(settings v1alpha1.RebootSettings) {
	m.Helper()
	m.attempt(m.name, v1alpha1.RebootRemediationSpec{RebootSettings: settings})
}

// cycles asks for a cycle with the defaults.
func cycles(m *machine) { m.request(v1alpha1.RebootSettings{}) }

// attempt makes a cycle of a name, and a MachineRemediation of that name that has stored it.
func (m *machine) attempt(name string, spec v1alpha1.RebootRemediationSpec) {
	m.Helper()
	const operation = "u/1"
	spec.Machine = &v1alpha1.MachineReference{APIGroup: m.kind.Group, Name: m.name}
	spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByRecord, Name: name, UID: "u", OperationID: operation}
	request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{
		Namespace: m.namespace, Name: name, Annotations: map[string]string{v1alpha1.OperationAnnotation: operation},
	}, Spec: spec}
	of := recordstore.New(build.Cluster(m.namespace, "c"), 1, v1alpha1.MachineRemediationSpec{
		ClusterName: "c", Grant: 1, HealthCheckRef: v1alpha1.RemediationReference{Name: "mhc", UID: "mhc"},
		MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: reboot.ClusterAPIKind.Group, Name: m.name, UID: m.get().GetUID()},
		Finding:    v1alpha1.RemediationFinding{Reason: "ReadyUnhealthy", Since: metav1.Now()},
		Steps:      []v1alpha1.RemediationStep{{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(600))}},
	})
	of.Name, of.OwnerReferences, of.Finalizers = name, nil, nil
	m.create(request, of)
	of.Status.Attempts = []v1alpha1.RemediationAttempt{{
		Number: 1, Step: "reboot", OperationID: operation, StartTime: new(metav1.Now()),
		ObjectRef: &v1alpha1.RemediationObjectReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: name, UID: request.UID},
	}}
	if err := m.client.Status().Update(m.ctx, of); err != nil {
		m.Fatal(err)
	}
}

// record returns the last RebootRemediation, by name; nil if there is none.
func (m *machine) record() *v1alpha1.RebootRemediation {
	m.Helper()
	requests := objects.List(m, m.client, &v1alpha1.RebootRemediationList{}, m.namespace)
	var last *v1alpha1.RebootRemediation
	for i := range requests.Items {
		if request := &requests.Items[i]; request.Spec.Machine.Name == m.name {
			last = request
		}
	}
	return last
}

func (m *machine) phase() v1alpha1.Phase {
	m.Helper()
	if record := m.record(); record != nil {
		return record.Status.Phase
	}
	return ""
}

// reaches runs everything until a cycle is in a phase.
func (m *machine) reaches(phase v1alpha1.Phase) {
	m.Helper()
	m.becomes("phase "+string(phase), func() bool { return m.phase() == phase })
}

// ends runs everything until a cycle has ended as expected, and checks that nothing is left of it.
func (m *machine) ends(phase v1alpha1.Phase, reason string) *v1alpha1.RebootRemediation {
	m.Helper()
	m.becomes("end of the cycle", func() bool {
		record := m.record()
		return record != nil && record.Status.Phase.Ended() && !slices.Contains(record.Finalizers, cycle.Finalizer)
	})
	record := m.record()
	got := meta.FindStatusCondition(record.Status.Conditions, v1alpha1.ConditionSucceeded)
	if record.Status.Phase != phase || got == nil || got.Reason != reason {
		m.Errorf("the end is %s, %+v; want %s, %s", record.Status.Phase, got, phase, reason)
	}
	m.mustBeClean()
	return record
}

// mustBeClean fails if anything of ours is left on the host or the Machine.
func (m *machine) mustBeClean() {
	m.Helper()
	for _, host := range m.hosts() {
		for key, value := range host.Annotations {
			if strings.HasPrefix(key, ourPrefix) || (key == plainKey && strings.Contains(value, "request")) {
				m.Errorf("host %s has annotation %s: %s", host.Name, key, value)
			}
		}
	}
	obj := m.empty()
	if err := m.client.Get(m.ctx, m.key(), obj); err != nil {
		return
	}
	for key := range obj.GetAnnotations() {
		if strings.HasPrefix(key, plainKey) {
			m.Errorf("the Machine has annotation %s", key)
		}
	}
}

const ourPrefix = plainKey + "/sickbay-"

// held reports whether our key keeps a host off.
func (s *harness) held(name string) bool {
	s.Helper()
	for _, host := range s.hosts() {
		for key := range host.Annotations {
			if host.Name == name && strings.HasPrefix(key, ourPrefix) {
				return true
			}
		}
	}
	return false
}

// mustHaveCycled fails unless the machine was power-cycled that often, and is on.
func (m *machine) mustHaveCycled(times int) {
	m.Helper()
	m.awaits("the machine is on", m.Running)
	if m.PowerCycles() != times {
		m.Errorf("the machine was cycled %d times, want %d: %v", m.PowerCycles(), times, m.History())
	}
	if !m.bareMetalHost().Spec.Online {
		m.Error("spec.online of the host is false")
	}
}

// condition returns the status and reason of a condition of the record.
func (m *machine) condition(conditionType string) string {
	m.Helper()
	record := m.record()
	if record == nil {
		return ""
	}
	return shortCondition(record.Status.Conditions, conditionType)
}

func shortCondition(conditions []metav1.Condition, conditionType string) string {
	c := meta.FindStatusCondition(conditions, conditionType)
	if c == nil {
		return ""
	}
	return string(c.Status) + " " + c.Reason
}

// deleteRequest deletes the RebootRemediation, as a person may at any time.
func (m *machine) deleteRequest() {
	m.Helper()
	if err := m.client.Delete(m.ctx, m.record()); err != nil {
		m.Fatal(err)
	}
}

// state describes everything, for the message of a failed test.
func (s *harness) state() string {
	var b strings.Builder
	var requests v1alpha1.RebootRemediationList
	if err := s.client.List(s.ctx, &requests, client.InNamespace(s.namespace)); err != nil {
		return err.Error()
	}
	for i := range requests.Items {
		r := &requests.Items[i]
		fmt.Fprintf(&b, "RebootRemediation %s %v: %+v\n", r.Name, r.Finalizers, r.Status)
	}
	var hosts metal3v1.BareMetalHostList
	if err := s.client.List(s.ctx, &hosts, client.InNamespace(s.namespace)); err != nil {
		return err.Error()
	}
	for i := range hosts.Items {
		h := &hosts.Items[i]
		fmt.Fprintf(&b, "host %s %v on=%t %+v\n  %v\n", h.Name, h.Annotations, h.Spec.Online, h.Status.Provisioning.State,
			s.operator.Host(client.ObjectKeyFromObject(h)).History())
	}
	fmt.Fprintf(&b, "events: %v\n", s.log.all())
	if s.brain != nil {
		fmt.Fprintf(&b, "errors: %v\n", s.brain.errors)
	}
	return b.String()
}
