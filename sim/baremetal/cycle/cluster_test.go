package cycle_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
)

// TestWorkloadClusterHalfDown: the API server of the workload cluster answers some requests and fails others.
func TestWorkloadClusterHalfDown(t *testing.T) {
	t.Parallel()
	for _, isolation := range []v1alpha1.Isolation{v1alpha1.DeleteNode, v1alpha1.OutOfServiceTaint} {
		t.Run(string(isolation), func(t *testing.T) {
			s := newHarness(t, reboot.ClusterAPIKind)
			m := s.machine("m", plan{owned: true})
			if isolation == v1alpha1.DeleteNode {
				s.cluster.set(func(c *cluster) { c.halfDown = true })
			}
			pod := m.pod("app")
			m.request(v1alpha1.RebootSettings{Isolation: isolation})
			m.reaches(v1alpha1.Isolating)
			s.cluster.set(func(c *cluster) { c.halfDown = true })
			s.passes(3 * time.Minute)
			m.becomes("it was given up", func() bool { return m.Running() && m.record().Status.IsolatedAt != nil })
			s.cluster.set(func(c *cluster) { c.halfDown = false })
			m.drop(pod)
			m.ends(v1alpha1.Succeeded, "Succeeded")
			if got := m.condition(v1alpha1.ConditionNodeIsolated); got[:5] != "False" {
				t.Errorf("NodeIsolated is %q", got)
			}
			m.mustHaveAll()
			m.mustHaveCycled(1)
		})
	}
}

func (m *machine) pod(name string, tolerations ...corev1.Toleration) *corev1.Pod {
	m.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: m.namespace, Name: name},
		Spec:       corev1.PodSpec{NodeName: m.nodeName(), Containers: []corev1.Container{{Name: "c", Image: "i"}}, ServiceAccountName: "default", Tolerations: tolerations},
	}
	m.create(pod)
	return pod
}

// drop deletes an object at once.
func (m *machine) drop(obj client.Object) {
	m.Helper()
	if err := m.client.Delete(m.ctx, obj, client.GracePeriodSeconds(0)); err != nil {
		m.Fatal(err)
	}
}

// TestTaintStaysUntilVolumesAndPodsAreGone: the Node keeps the taint until its volumes and the Pods that must leave are gone, and no longer.
func TestTaintStaysUntilVolumesAndPodsAreGone(t *testing.T) {
	s := newHarness(t, reboot.ClusterAPIKind)
	m := s.machine("m", plan{})
	pod := m.pod("app")
	const taint = corev1.TaintNodeOutOfService
	m.pod("tolerant", corev1.Toleration{Key: taint, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule}, corev1.Toleration{Operator: corev1.TolerationOpExists})
	picky := m.pod("picky", corev1.Toleration{Key: taint, Operator: corev1.TolerationOpEqual, Value: "another"})
	volume := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: m.nodeName()}, Spec: storagev1.VolumeAttachmentSpec{
		Attacher: "a", NodeName: m.nodeName(), Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("v")},
	}}
	m.create(volume)
	m.request(v1alpha1.RebootSettings{Isolation: v1alpha1.OutOfServiceTaint})
	m.reaches(v1alpha1.Isolating)
	s.pace = 10 * tick
	stays := func() {
		t.Helper()
		for range 20 {
			m.turn()
		}
		if m.phase() != v1alpha1.Isolating || m.Running() || !m.tainted() {
			t.Errorf("it did not wait: %s", s.state())
		}
	}
	stays()
	m.drop(pod)
	stays()
	m.drop(picky)
	stays()
	m.drop(volume)
	m.ends(v1alpha1.Succeeded, "Succeeded")
	if got := m.condition(v1alpha1.ConditionNodeIsolated); got != "True NodeTainted" {
		t.Errorf("NodeIsolated is %q", got)
	}
	m.mustHaveCycled(1)
	m.mustHaveAll()
	if m.findNode().UID != m.node.UID {
		t.Error("the Node was deleted")
	}
}

func (m *machine) tainted() bool {
	m.Helper()
	for _, t := range m.findNode().Spec.Taints {
		if t.Key == corev1.TaintNodeOutOfService {
			return true
		}
	}
	return false
}

// TestControlPlane: the controllers cycle one control-plane machine at a time, and workers meanwhile.
func TestControlPlane(t *testing.T) {
	t.Parallel()
	onlySimulated(t, "more than one host in a namespace")
	for name, kind := range flavours {
		t.Run(name, func(t *testing.T) {
			s := newHarness(t, kind)
			first, second := s.machine("m1", plan{controlPlane: true}), s.machine("m2", plan{controlPlane: true})
			// With only two, the management cluster, whose control plane this is, would lose its quorum.
			s.machine("m3", plan{controlPlane: true})
			worker := s.machine("w", plan{})
			all := []*machine{first, second, worker}
			obstacles[v1alpha1.PoweringOn].set(first)
			obstacles[v1alpha1.PoweringOn].set(second)
			for _, m := range all {
				cycles(m)
			}
			first.becomes("the first and the worker are on their way", func() bool {
				return first.phase() == v1alpha1.PoweringOn && worker.phase() == v1alpha1.Succeeded
			})
			for range 20 {
				s.turn()
			}
			if second.condition(v1alpha1.ConditionSucceeded) != "Unknown Throttled" || !second.Running() || second.held("m2") {
				t.Errorf("the second did not wait: %s", s.state())
			}
			s.pace = time.Second
			both := 0
			s.becomes("the end of all", func() bool {
				if !first.Running() && !second.Running() {
					both++
				}
				return first.phase() == v1alpha1.Succeeded && second.phase() == v1alpha1.Succeeded
			})
			if both > 0 {
				t.Errorf("both machines of the control plane were off: %v, %v", first.History(), second.History())
			}
			for _, m := range all {
				m.ends(v1alpha1.Succeeded, "Succeeded")
				m.mustHaveCycled(1)
				m.mustHaveAll()
			}
		})
	}
}

// unhealthyKeys are the annotations with which Metal3 excludes a host.
var unhealthyKeys = []string{"capi.metal3.io/unhealthy", "capm3.metal3.io/unhealthy"}

// mustBeMarked fails unless the host has, or does not have, all of these annotations.
func (m *machine) mustBeMarked(want bool) {
	m.Helper()
	annotations := m.bareMetalHost().Annotations
	for _, key := range unhealthyKeys {
		if _, marked := annotations[key]; marked != want {
			m.Errorf("the host has the annotations %v", annotations)
		}
	}
}
