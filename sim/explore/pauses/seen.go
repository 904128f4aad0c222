package pauses

import (
	"fmt"
	"maps"
	"slices"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
	"github.com/sickbay-dev/sickbay/sim/explore/upgrade"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// View is what a process can see of a world.
type View struct {
	Spec *worlds.Spec
	// Every returns the objects of a kind as they are read first, and Last as they are read last.
	Every, Last func(schema.GroupVersionKind) []client.Object
	// Unread reports whether a kind cannot be read.
	Unread func(schema.GroupVersionKind) bool
	// Selected reports whether the selector of OpenShift's health check could be read.
	Selected bool
	// Settles is how long another controller's machines may take to come back.
	Settles time.Duration
}

func (v View) unread(some ...schema.GroupVersionKind) bool {
	return slices.ContainsFunc(some, v.Unread)
}

func one[T client.Object](v View, kind schema.GroupVersionKind) T {
	return v.Every(kind)[0].(T)
}

// See returns what is to be known about the health checks of a kind.
func (v View) See(check schema.GroupVersionKind) Seen {
	s := Seen{Follows: map[string]string{}}
	v.seeVersion(&s)
	switch {
	case check == kinds.OpenShiftCheck:
		v.seePool(&s)
		s.Within = v.Settles
		s.Away = !v.Selected || v.unread(kinds.OpenShiftMachine, kinds.Node) || slices.ContainsFunc(v.Last(kinds.Node), func(obj client.Object) bool {
			node := obj.(*corev1.Node)
			return len(node.Annotations) > 0 && node.Name == upgrade.Worker && node.Status.Conditions[0].Status != corev1.ConditionTrue
		})
	case v.Spec.Has(worlds.Rollout):
		v.seeCluster(&s)
	}
	return s
}

func (v View) seeVersion(s *Seen) {
	if v.unread(kinds.ClusterVersion) {
		s.Unknown = append(s.Unknown, "clusterversion/")
		return
	}
	cv := one[*configv1.ClusterVersion](v, kinds.ClusterVersion)
	last := cv.Status.History[0]
	if last.State != configv1.CompletedUpdate {
		s.add("clusterversion/"+format(last.StartedTime.Time), !upgrade.Progressing(cv))
	}
}

func (s *Seen) add(id string, halted bool) {
	if halted {
		s.Halted = append(s.Halted, id)
		return
	}
	s.Active = append(s.Active, id)
}

func (v View) seePool(s *Seen) {
	if v.unread(kinds.Pool) {
		s.Unknown = append(s.Unknown, "machineconfigpool/")
		return
	}
	pool := one[*mcfgv1.MachineConfigPool](v, kinds.Pool)
	if !upgrade.Behind(pool) {
		return
	}
	id := fmt.Sprintf("machineconfigpool/%s/%s", pool.Name, pool.Spec.Configuration.Name)
	s.Follows[id] = "clusterversion/"
	s.add(id, pool.Spec.Paused || pool.Status.UpdatedMachineCount == pool.Status.MachineCount)
}

func (v View) seeCluster(s *Seen) {
	if v.unread(kinds.Cluster) {
		s.Unknown = append(s.Unknown, "cluster/")
		return
	}
	cluster := one[*clusterv1.Cluster](v, kinds.Cluster)
	switch wish := cluster.Annotations[option]; {
	case wish == "false":
		s.Excepted = true
	case wish != "true", v.unread(kinds.Deployment, kinds.ControlPlane, kinds.Machine):
		s.Unknown = append(s.Unknown, "cluster/")
	default:
		v.seeVersions(s, cluster)
	}
}

// seeVersions adds the versions that a Cluster rolls out. One is halted if all that roll it out are held.
func (v View) seeVersions(s *Seen, cluster *clusterv1.Cluster) {
	held, versions := isHeld(cluster.Spec.Paused, cluster), rollouts{}
	if upgrade.Whole(cluster) {
		versions.add(cluster.Spec.Topology.Version, held)
	}
	if !upgrade.Whole(cluster) || held {
		v.seeParts(versions, held)
	}
	for _, version := range slices.Sorted(maps.Keys(versions)) {
		s.add("cluster/"+version, versions[version])
	}
}

func isHeld(paused *bool, obj client.Object) bool {
	_, annotated := obj.GetAnnotations()[Paused]
	return annotated || (paused != nil && *paused)
}

// rollouts are versions, and whether all that roll them out are held.
type rollouts map[string]bool

func (r rollouts) add(version string, held bool) {
	before, ok := r[version]
	r[version] = held && (!ok || before)
}

// seeParts adds the versions that some machines do not have yet.
func (v View) seeParts(versions rollouts, held bool) {
	plane := one[*unstructured.Unstructured](v, kinds.ControlPlane)
	if wants := upgrade.VersionOf(plane, "spec"); upgrade.VersionOf(plane, "status") != wants {
		versions.add(wants, held)
	}
	md := one[*clusterv1.MachineDeployment](v, kinds.Deployment)
	for _, m := range v.Every(kinds.Machine) {
		if wants := md.Spec.Template.Spec.Version; m.(*clusterv1.Machine).Spec.Version != wants {
			versions.add(wants, held || isHeld(md.Spec.Paused, md))
		}
	}
}
