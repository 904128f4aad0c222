package reboot

import (
	"slices"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/conditions"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// noon is when everything in the records happened.
var noon = metav1.NewTime(time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC))

// sign shows the first attempt of a record that is nowhere.
const sign = "6f1c9d1e-0000-4000-8000-000000000001/1"

// phases are all phases, in the order of a cycle.
var phases = append(cycle.Phases(), v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted)

// course is the order of the phases in a cycle, including one that fails.
var course = []v1alpha1.Phase{
	v1alpha1.Pending, v1alpha1.PoweringOff, v1alpha1.Fenced, v1alpha1.Holding, v1alpha1.Isolating, v1alpha1.PoweringOn, v1alpha1.WaitingForNode,
	v1alpha1.Restoring, v1alpha1.Succeeded, v1alpha1.Failed, v1alpha1.Aborted,
}

// change changes the default facts.
type change func(*cycle.Facts)

// in returns the facts of a cycle in a phase, with a status that fits.
func in(phase v1alpha1.Phase, changes ...change) cycle.Facts {
	f := cycle.Facts{
		UID: "r-1", Finalizer: true,
		Machine: cycle.MachineFacts{UID: "m-1", Node: "n1"},
		Host:    cycle.HostFacts{Name: "h1", UID: "h-1", Ours: true, Fenceable: true, Online: true, PoweredOn: true},
	}
	f.Node = cycle.NodeFacts{State: cycle.NodeFound, Node: nodeOf("node-2", "boot-2"), TaintSupported: true}
	s, at := &f.Status, slices.Index(course, phase)
	past := func(p v1alpha1.Phase) bool { return at >= slices.Index(course, p) }
	s.Phase, s.MachineUID = phase, "m-1"
	if past(v1alpha1.PoweringOff) {
		s.PendingRebootSince, s.BeganAt, s.Host = &noon, &noon, &v1alpha1.HostIdentity{Name: "h1", UID: "h-1"}
		s.Node = &v1alpha1.NodeRecord{Name: "n1", UID: "node-1", BootID: "boot-1"}
	}
	if past(v1alpha1.Fenced) {
		s.SeenOnAt, s.KeySince, s.PoweredOffAt = &noon, &noon, &noon
	}
	if inService := past(v1alpha1.Succeeded); past(v1alpha1.Isolating) && !inService {
		s.IsolatingSince, s.Node.OutOfService = &noon, true
		s.Node.Backup = &v1alpha1.NodeBackup{TakenAt: noon, Labels: map[string]string{"team": "a"}}
	}
	if past(v1alpha1.PoweringOn) {
		s.NodeGoneAt, s.IsolatedAt, s.PowerOnReleasedAt = &noon, &noon, &noon
	}
	if past(v1alpha1.WaitingForNode) {
		s.LastPoweredOn = &noon
	}
	if past(v1alpha1.Restoring) {
		s.NodeBackAt = &noon
		setReady(f.Node.Node, corev1.ConditionTrue, noon.Add(time.Minute))
	}
	if phase.Ended() {
		s.FinishedAt = &noon
	}
	for _, says := range []metav1.Condition{
		{Type: v1alpha1.ConditionHostAvailable, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonHostAvailable},
		{Type: v1alpha1.ConditionSucceeded, Status: metav1.ConditionUnknown, Reason: string(phase)},
	} {
		says.LastTransitionTime = noon
		meta.SetStatusCondition(&s.Conditions, says)
	}
	if f.Host.Key = phase == v1alpha1.Fenced || phase == v1alpha1.Isolating; f.Host.Key {
		f.Host.ProbedAt, f.Host.PoweredOn = noon.Time, false
	}
	for _, c := range changes {
		c(&f)
	}
	f.Status = *s.DeepCopy()
	return f
}

func outOfServiceSince(f *cycle.Facts) { f.Status.Node.OutOfService = true }
func untouched(f *cycle.Facts)         { f.Status.Node.OutOfService, f.Status.Node.Backup = false, nil }
func taints(f *cycle.Facts)            { f.Spec.Isolation = v1alpha1.OutOfServiceTaint }

func nodeOf(uid types.UID, bootID string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: uid}}
	node.Status.NodeInfo.BootID = bootID
	return node
}

func setReady(node *corev1.Node, status corev1.ConditionStatus, heartbeat time.Time) {
	node.Status.Conditions = slices.DeleteFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == corev1.NodeReady })
	node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
		Type: corev1.NodeReady, Status: status, LastHeartbeatTime: metav1.NewTime(heartbeat.Truncate(time.Second)),
	})
}

// messageOf and reasonOf return what the conditions of a record say.
func messageOf(status v1alpha1.RebootRemediationStatus) string {
	return meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionSucceeded).Message
}

func reasonOf(status v1alpha1.RebootRemediationStatus, conditionType string) string {
	return conditions.Of(status.Conditions, conditionType).Reason
}

// infrastructureKind is the kind of the infrastructure machines in the tests.
var infrastructureKind = schema.GroupVersionKind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta1", Kind: "Metal3Machine"}

// controlPlaneKind is the kind of control planes that say where their etcd runs.
var controlPlaneKind = schema.GroupVersionKind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "KubeadmControlPlane"}

func TestMain(m *testing.M) {
	env.Main(m,
		env.WithScheme(v1alpha1.AddToScheme, metal3v1.AddToScheme, machinev1.Install),
		env.WithCRDFiles("config/crd/sickbay*.yaml"),
		env.WithModuleCRDs("github.com/openshift/api", "machine/v1beta1/zz_generated.crd-manifests/*_machines-Default.crd.yaml",
			"machine/v1beta1/zz_generated.crd-manifests/*_machinehealthchecks.crd.yaml"),
		env.WithCRDs(env.AnythingGoes(HostKind), env.AnythingGoes(infrastructureKind), env.AnythingGoes(controlPlaneKind)))
}
