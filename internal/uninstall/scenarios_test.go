package uninstall_test

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	configv1 "github.com/openshift/api/config/v1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// scene is a namespace with a cluster for one scenario.
type scene struct {
	t  *testing.T
	g  *WithT
	c  client.Client
	ns string
}

func newScene(t *testing.T) *scene {
	t.Helper()
	e := env.Get(t)
	s := &scene{t: t, g: NewWithT(t), c: e.Client, ns: e.Namespace(t)}
	s.g.SetDefaultEventuallyTimeout(90 * time.Second)
	s.create(build.Cluster(s.ns, build.ClusterName))
	return s
}

func (s *scene) create(objs ...client.Object) {
	s.t.Helper()
	build.Create(s.t.Context(), s.t, s.c, objs...)
}

// exempt excepts a MachineHealthCheck from pauses while OpenShift upgrades.
var exempt = build.Annotation("sickbay.dev/pause-on-upgrade", "false")

// failed puts a machine into a phase that is sick, whatever its Node.
func failed(machine *clusterv1.Machine) { machine.Status.Phase = "Failed" }

// sick creates a sick machine of a MachineSet.
func (s *scene) sick(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.t.Helper()
	set := build.MachineSet(s.ns, name+"-set")
	s.create(set)
	machine := build.Machine(s.ns, name, append([]build.MachineOption{build.OwnedBy(set), build.MachineFunc(failed)}, opts...)...)
	s.create(machine)
	return machine
}

// has waits until an object has a property.
func (s *scene) has(obj client.Object, what string, so func() bool) {
	s.t.Helper()
	s.g.Eventually(func() bool {
		return s.c.Get(s.t.Context(), client.ObjectKeyFromObject(obj), obj) == nil && so()
	}).Should(BeTrue(), what)
}

// record waits until the record of a machine is in a phase.
func (s *scene) record(machine *clusterv1.Machine, phase v1alpha1.RemediationPhase) *v1alpha1.MachineRemediation {
	s.t.Helper()
	var found v1alpha1.MachineRemediation
	s.g.Eventually(func() v1alpha1.RemediationPhase {
		var list v1alpha1.MachineRemediationList
		if err := s.c.List(s.t.Context(), &list, client.InNamespace(s.ns)); err != nil {
			return ""
		}
		for _, one := range list.Items {
			if one.Spec.MachineRef.UID == machine.UID {
				found = one
				return one.Status.Phase
			}
		}
		return ""
	}).Should(Equal(phase))
	return &found
}

// marked creates a machine that is marked for its owner.
func marked(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "marked", exempt, build.Annotation("sickbay.dev/max-in-flight", "50%")))
	machine := s.sick("marked")
	s.has(machine, "a mark", func() bool {
		return meta.IsStatusConditionFalse(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	})
}

// answered creates a machine whose owner has answered the mark.
func answered(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "answered", exempt))
	machine := s.sick("answered")
	s.has(machine, "a mark", func() bool {
		return meta.IsStatusConditionFalse(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
	})
	s.g.Eventually(func() error {
		if err := s.c.Get(s.t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil {
			return err
		}
		mark := meta.FindStatusCondition(machine.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
		mark.Reason, mark.Message = "RemediationDeferred", "later"
		return s.c.Status().Update(s.t.Context(), machine, client.FieldOwner("capi-kubeadmcontrolplane"))
	}).Should(Succeed())
}

// deleting creates a machine without an owner that is being deleted, and stays because of a finalizer.
func deleting(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "deleting", exempt))
	machine := build.Machine(s.ns, "deleting", build.Finalizer("example.dev/keep"), build.MachineFunc(failed))
	s.create(machine)
	s.has(machine, "its deletion", func() bool { return machine.DeletionTimestamp != nil })
}

// requested creates a request from a template of another project.
func requested(s *scene) {
	kind := env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind)
	s.create(build.RemediationTemplate(kind, s.ns, "fix", map[string]any{}))
	s.create(build.MachineHealthCheck(s.ns, "requested", exempt, build.TemplateRef(kind, "fix")))
	machine := s.sick("requested")
	request := &unstructured.Unstructured{}
	request.SetGroupVersionKind(env.RemediationGroupVersion.WithKind(env.RemediationKind))
	request.SetNamespace(s.ns)
	request.SetName(machine.Name)
	s.has(request, "a request", func() bool { return true })
}

// planned creates records of a plan: some wait for a person, others are Held.
func planned(s *scene) {
	plan := func(name string, step v1alpha1.RemediationStep) {
		template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: name}}
		template.Spec.Template.Spec.Steps = []v1alpha1.RemediationStep{step}
		s.create(template)
		pool := build.Label("pool", name)
		s.create(build.MachineHealthCheck(s.ns, name, exempt, build.Selector(map[string]string{"pool": name}),
			build.TemplateRef(v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"), name)))
		phase := v1alpha1.RemediationHeld
		if step.Approval == v1alpha1.ApprovalRequired {
			phase = v1alpha1.RemediationPending
		}
		s.record(s.sick(name, pool), phase)
	}
	plan("hold", v1alpha1.RemediationStep{Name: "hold", Action: v1alpha1.ActionHold})
	plan("approve", v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, Attempts: 1, TimeoutSeconds: new(int32(600)), Approval: v1alpha1.ApprovalRequired})
}

// ended creates a record that has ended because its machine is healthy again.
func ended(s *scene) {
	mhc := build.MachineHealthCheck(s.ns, "ended", exempt)
	s.create(mhc)
	machine := s.sick("ended")
	s.record(machine, v1alpha1.RemediationActing)
	s.g.Eventually(func() error {
		if err := s.c.Get(s.t.Context(), client.ObjectKeyFromObject(mhc), mhc); err != nil {
			return err
		}
		return s.c.Delete(s.t.Context(), mhc)
	}).Should(Succeed())
	s.record(machine, v1alpha1.RemediationEnded)
}

// keptOff creates a host that is kept off for a power cycle.
func keptOff(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "kept-off", exempt, build.Annotation("sickbay.dev/remediation", "reboot")))
	infra := &unstructured.Unstructured{}
	infra.SetGroupVersionKind(metal)
	infra.SetNamespace(s.ns)
	infra.SetName("kept-off")
	infra.SetAnnotations(map[string]string{"metal3.io/BareMetalHost": s.ns + "/host"})
	s.create(infra)
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "host"}}
	host.Spec.Online = true
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: metal.GroupVersion().String(), Kind: metal.Kind, Namespace: s.ns, Name: infra.GetName()}
	s.create(host)
	host.Status.PoweredOn, host.Status.OperationalStatus = true, metal3v1.OperationalStatusOK
	host.Status.Provisioning.State = metal3v1.StateProvisioned
	s.g.Expect(s.c.Status().Update(s.t.Context(), host)).To(Succeed())
	s.sick("kept-off", build.MachineFunc(func(m *clusterv1.Machine) { m.Spec.InfrastructureRef.Kind = metal.Kind }))
	s.has(host, "a key", func() bool { return len(host.Annotations) == 2 })
}

// upgrading creates MachineHealthChecks of Cluster API and of OpenShift that are paused for an upgrade.
func upgrading(s *scene) {
	paused := build.MachineHealthCheck(s.ns, "upgrading", build.Annotation("sickbay.dev/max-in-flight", "1"))
	handedOver := build.MachineHealthCheck(s.ns, "handed-over", build.Annotation(clusterv1.PausedAnnotation, "sickbay"))
	openShift := &machinev1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "upgrading"}}
	openShift.Spec.UnhealthyConditions = []machinev1.UnhealthyCondition{{Type: "Ready", Status: "False", Timeout: metav1.Duration{Duration: time.Minute}}}
	s.create(paused, handedOver, openShift)
	version := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}, Spec: configv1.ClusterVersionSpec{ClusterID: "7e8b6a1c-0000-4000-8000-000000000000"}}
	s.create(version)
	version.Status = configv1.ClusterVersionStatus{
		Desired: configv1.Release{Version: "4.17.0", Image: "release:4.17.0"}, AvailableUpdates: []configv1.Release{},
		History:    []configv1.UpdateHistory{{Version: "4.17.0", Image: "release:4.17.0", State: configv1.PartialUpdate, StartedTime: metav1.Now()}},
		Conditions: []configv1.ClusterOperatorStatusCondition{{Type: "Progressing", Status: "True", LastTransitionTime: metav1.Now()}},
	}
	s.g.Expect(s.c.Status().Update(s.t.Context(), version)).To(Succeed())
	for _, obj := range []client.Object{paused, handedOver, openShift} {
		s.has(obj, "a pause", func() bool { _, ok := obj.GetAnnotations()["machine.openshift.io/paused-for-upgrade"]; return ok })
	}
}

// pausedLater creates a machine that is marked, and paused after that: nobody would clean it up after the pause.
func pausedLater(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "paused-later", exempt))
	machine := s.sick("paused-later")
	s.record(machine, v1alpha1.RemediationActing)
	s.g.Eventually(func() error {
		if err := s.c.Get(s.t.Context(), client.ObjectKeyFromObject(machine), machine); err != nil {
			return err
		}
		machine.Annotations = map[string]string{clusterv1.PausedAnnotation: ""}
		return s.c.Update(s.t.Context(), machine)
	}).Should(Succeed())
}

// failedCycle creates a host that a failed power cycle has marked.
func failedCycle(s *scene) {
	s.create(&metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "failed", Annotations: map[string]string{
		"capi.metal3.io/unhealthy": "sickbay/PowerCycleFailed",
	}}})
}

// asked creates a record that a person asked for by an annotation.
func asked(s *scene) {
	machine := s.sick("asked", build.Annotation("reboot.metal3.io", "please"))
	s.record(machine, v1alpha1.RemediationActing)
}

// resumed creates a MachineHealthCheck whose pause has ended.
func resumed(s *scene) {
	s.create(build.MachineHealthCheck(s.ns, "resumed", exempt, build.Annotation("sickbay.dev/resumed-at", "2026-01-01T00:00:00Z")))
}

// scenes cover everything that Sickbay writes.
var scenes = map[string]func(*scene){
	"marked": marked, "answered": answered, "deleting": deleting, "requested": requested, "planned": planned, "ended": ended,
	"kept off": keptOff, "upgrading": upgrading, "paused later": pausedLater, "failed cycle": failedCycle, "asked": asked, "resumed": resumed,
}
