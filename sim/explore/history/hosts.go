package history

import (
	"fmt"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/metal"
)

const hostPrefix = "host-"

// HostOf returns the name of the host of a machine.
func HostOf(machine string) string { return hostPrefix + machine }

// MachineOn returns the name of the machine that a host is for.
func MachineOn(host string) string { return strings.TrimPrefix(host, hostPrefix) }

// Iron returns a host itself.
func (w *World) Iron(host string) *metal.Iron { return w.iron[host] }

// onMetal gives a Machine an infrastructure machine of Metal3.
func onMetal(m *clusterv1.Machine) {
	m.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: kinds.Infrastructure.Group, Kind: kinds.Infrastructure.Kind, Name: m.Name}
}

// makeHost creates the host of a machine, and its infrastructure machine.
func (w *World) makeHost(machine string) {
	infrastructure := &unstructured.Unstructured{}
	infrastructure.SetGroupVersionKind(kinds.Infrastructure)
	infrastructure.SetNamespace(kinds.Namespace)
	infrastructure.SetName(machine)
	infrastructure.SetAnnotations(map[string]string{reboot.HostAnnotation: kinds.Namespace + "/" + HostOf(machine)})
	w.put(infrastructure)
	host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Namespace: kinds.Namespace, Name: HostOf(machine)}}
	host.Spec.Online = true
	host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: kinds.Infrastructure.GroupVersion().String(), Kind: kinds.Infrastructure.Kind, Namespace: kinds.Namespace, Name: machine}
	host.Status.PoweredOn, host.Status.OperationalStatus = true, metal3v1.OperationalStatusOK
	host.Status.Provisioning.State = metal3v1.StateProvisioned
	w.put(host)
	w.iron[host.Name] = metal.Running()
}

// releaseHost takes the host from a machine that is gone.
func (w *World) releaseHost(machine string) {
	if infrastructure := w.Server.Latest(kinds.Infrastructure, kinds.InNamespace(machine)); infrastructure != nil {
		w.remove(infrastructure.Typed())
	}
	w.changeHost(HostOf(machine), func(h *metal3v1.BareMetalHost) { h.Spec.ConsumerRef, h.Spec.Online = nil, false })
}

// changeHost changes a host in the name of somebody other than a manager.
func (w *World) changeHost(name string, change func(*metal3v1.BareMetalHost)) {
	update(w, kinds.Host, name, false, change)
}

// workOnHosts returns what hosts, their operators and their kubelets have to do now.
func (w *World) workOnHosts() []option {
	var options []option
	for _, host := range Every[*metal3v1.BareMetalHost](w, kinds.Host) {
		options = append(options, w.workOnHost(host)...)
		options = append(options, w.kubeletWorks(host.Name)...)
	}
	return options
}

func (w *World) workOnHost(host *metal3v1.BareMetalHost) []option {
	name, iron := host.Name, w.iron[host.Name]
	if iron.IsDue(w.clock.now) {
		return []option{{"the command to host " + name + " takes effect", func() { w.turn(name) }}}
	}
	if host.Spec.ConsumerRef == nil && !metal.KeptOff(host) {
		return []option{{"host " + name + " is free", func() {
			w.remove(host)
			delete(w.iron, name)
		}}}
	}
	deed := metal.Operate(host, iron)
	if deed.What == "" {
		return nil
	}
	return []option{{fmt.Sprintf("the operator of host %s %s", name, deed.What), func() { w.operate(name, deed) }}}
}

// operate makes the operator of a host do something.
func (w *World) operate(name string, deed metal.Deed) {
	switch {
	case deed.Status != nil:
		update(w, kinds.Host, name, true, deed.Status)
	case deed.Rest != nil:
		w.changeHost(name, deed.Rest)
	default:
		w.iron[name].Accept(*deed.Switch, w.clock.now)
	}
}

// turn switches a host.
func (w *World) turn(name string) {
	if on, changed := w.iron[name].Turn(w.clock.now); changed {
		w.say("      host %s is on: %t", name, on)
		w.observer.Switched(name, on)
	}
}

// kubeletWorks returns what the kubelet on a host does, or what everybody sees when it does nothing.
func (w *World) kubeletWorks(host string) []option {
	iron, machine := w.iron[host], MachineOn(host)
	m := Latest[*clusterv1.Machine](w, kinds.Machine, machine)
	if iron == nil || m == nil || !m.DeletionTimestamp.IsZero() || !m.Status.NodeRef.IsDefined() {
		return nil
	}
	node := Latest[*corev1.Node](w, kinds.Node, nodeOf(machine))
	switch {
	case iron.Booted(w.clock.now):
		return []option{{"the system of " + machine + " has booted", func() { w.boots(machine) }}}
	case iron.Silent(w.clock.now) && node != nil && readyIs(node) == corev1.ConditionTrue:
		return []option{{"the Node of " + machine + " is not heard of any more", func() { w.nodeSays(machine, metav1.ConditionUnknown) }}}
	}
	return nil
}

func readyIs(node *corev1.Node) corev1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return ""
}

// boots makes the kubelet of a machine report that it has booted. It creates the Node if somebody has deleted it.
func (w *World) boots(machine string) {
	iron := w.iron[HostOf(machine)]
	iron.Reports = true
	ready := metav1.ConditionTrue
	if w.Spec.InVain && !w.cooperating {
		ready = metav1.ConditionFalse
	}
	w.nodeSays(machine, ready)
	update(w, kinds.Node, nodeOf(machine), true, func(node *corev1.Node) { node.Status.NodeInfo.BootID = fmt.Sprint("boot-", iron.Boots) })
}

// PutOnNodes are a label and a taint that people put on Nodes.
var PutOnNodes = []string{"example.com/rack", "example.com/team"}

// putOnNode puts something on a Node that no kubelet sets, as people do.
func putOnNode(node *corev1.Node) {
	build.Label(PutOnNodes[0], "r1")(node)
	node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: PutOnNodes[1], Value: "a", Effect: corev1.TaintEffectNoSchedule})
}

// running reports whether the kubelet of a machine reports: in a world without hosts, always.
func (w *World) running(machine string) bool {
	iron := w.iron[HostOf(machine)]
	return !w.Spec.Metal() || (iron != nil && iron.On && iron.Reports)
}

// hostsNext returns when something happens to a host by itself; zero if never.
func (w *World) hostsNext() time.Time {
	var next time.Time
	for _, iron := range w.iron {
		next = healthcheck.Earliest(next, iron.Next(w.clock.now))
	}
	return next
}

// NodeOf returns the Node of a machine; nil if there is none. It is shared.
func NodeOf(w *World, machine string) *corev1.Node {
	return Latest[*corev1.Node](w, kinds.Node, nodeOf(machine))
}
