package silence_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

const (
	core  = "cluster.x-k8s.io/v1beta2"
	plane = "controlplane.cluster.x-k8s.io/v1beta2"
)

func ownedBy(apiVersion, kind string) *metav1.OwnerReference {
	return &metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "o", UID: "o", Controller: new(true)}
}

// set is the MachineSet of revision 1 of MachineDeployment d.
func set() *metav1.ObjectMeta {
	return &metav1.ObjectMeta{
		Namespace: "ns", Name: "o", Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: "d"}, Annotations: map[string]string{clusterv1.RevisionAnnotation: "1"},
	}
}

// alone is an owner that belongs to nothing else.
func alone() *metav1.ObjectMeta { return &metav1.ObjectMeta{Namespace: "ns", Name: "o"} }

func paused(o *metav1.ObjectMeta) *metav1.ObjectMeta {
	metav1.SetMetaDataAnnotation(o, clusterv1.PausedAnnotation, "")
	return o
}

func deleted(o *metav1.ObjectMeta) *metav1.ObjectMeta {
	o.DeletionTimestamp = new(metav1.NewTime(time.Unix(0, 0)))
	return o
}

func deployment(revision string, change func(*clusterv1.MachineDeployment)) *clusterv1.MachineDeployment {
	d := &clusterv1.MachineDeployment{}
	d.Namespace, d.Name, d.Annotations = "ns", "d", map[string]string{clusterv1.RevisionAnnotation: revision}
	d.Spec.Replicas = new(int32(3))
	d.Spec.Rollout.Strategy.Type = clusterv1.RollingUpdateMachineDeploymentStrategyType
	if change != nil {
		change(d)
	}
	return d
}

func onDelete(d *clusterv1.MachineDeployment) {
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
}

func inFlight(most string) func(*clusterv1.MachineDeployment) {
	return func(d *clusterv1.MachineDeployment) { d.Spec.Remediation.MaxInFlight = new(intstr.Parse(most)) }
}

// ofTopology allows no remediation, because the topology of its Cluster says so.
func ofTopology(d *clusterv1.MachineDeployment) {
	inFlight("0")(d)
	d.Labels = map[string]string{clusterv1.ClusterTopologyOwnedLabel: "", clusterv1.ClusterNameLabel: "c"}
}

func toZero(d *clusterv1.MachineDeployment) { d.Spec.Replicas = new(int32(0)) }

func pausedCluster() *clusterv1.Cluster {
	c := build.Cluster("ns", "c")
	c.Spec.Paused = new(true)
	return c
}

// TestWhy: each thing that keeps an owner from replacing a machine is named, with the object that has it and the command that ends it; and nothing
// else keeps it.
func TestWhy(t *testing.T) {
	machineSet, kubeadm := ownedBy(core, "MachineSet"), ownedBy(plane, "KubeadmControlPlane")
	pool, other := ownedBy(core, "MachinePool"), ownedBy(plane, "RKE2ControlPlane")
	of := func(cause silence.Cause, kind, name string) silence.Why {
		return silence.Why{Cause: cause, Kind: kind, Name: name}
	}
	none := silence.Why{}
	byTopology := func(cause silence.Cause) silence.Why {
		return silence.Why{Cause: cause, Kind: "MachineDeployment", Name: "d", Topology: "c"}
	}
	bySpec := func(d *clusterv1.MachineDeployment) { d.Spec.Paused = new(true) }
	byAnnotation := func(d *clusterv1.MachineDeployment) { d.Annotations[clusterv1.PausedAnnotation] = "" }
	for name, tt := range map[string]struct {
		facts   silence.Facts
		want    silence.Why
		command string
	}{
		"nobody controls it":            {silence.Facts{Cluster: pausedCluster()}, none, ""},
		"a MachineSet":                  {silence.Facts{Controller: machineSet, Owner: alone(), Replicas: new(int32(1))}, none, ""},
		"one that cannot be read":       {silence.Facts{Controller: machineSet}, none, ""},
		"one of an older version":       {silence.Facts{Controller: ownedBy("cluster.x-k8s.io/v1beta1", "MachineSet"), Owner: alone()}, none, ""},
		"one of OpenShift":              {silence.Facts{Controller: ownedBy("machine.openshift.io/v1beta1", "MachineSet"), Owner: alone()}, of(silence.KindUnknown, "MachineSet", "o"), ""},
		"a control plane":               {silence.Facts{Controller: kubeadm, Owner: alone(), Replicas: new(int32(3))}, none, ""},
		"another control plane":         {silence.Facts{Controller: other, Owner: alone()}, of(silence.KindUnknown, "RKE2ControlPlane", "o"), ""},
		"another that cannot be read":   {silence.Facts{Controller: other}, of(silence.KindUnknown, "RKE2ControlPlane", "o"), ""},
		"a MachinePool":                 {silence.Facts{Controller: pool, Owner: alone()}, of(silence.KindNeverAnswers, "MachinePool", "o"), ""},
		"a paused MachinePool":          {silence.Facts{Controller: pool, Owner: paused(alone())}, of(silence.KindNeverAnswers, "MachinePool", "o"), ""},
		"a MachinePool of another kind": {silence.Facts{Controller: ownedBy("infrastructure.cluster.x-k8s.io/v1beta2", "MachinePool")}, of(silence.KindUnknown, "MachinePool", "o"), ""},

		"its Cluster is paused": {
			silence.Facts{Controller: kubeadm, Cluster: pausedCluster()}, of(silence.PausedBySpec, "Cluster", "c"),
			`kubectl patch cluster c -n ns --type=merge -p '{"spec":{"paused":false}}'`,
		},
		"its Cluster is not paused": {silence.Facts{Controller: kubeadm, Cluster: build.Cluster("ns", "c")}, none, ""},
		"a paused MachineSet": {
			silence.Facts{Controller: machineSet, Owner: paused(set()), Deployment: deployment("2", onDelete)}, of(silence.PausedByAnnotation, "MachineSet", "o"),
			"kubectl annotate machineset o -n ns cluster.x-k8s.io/paused-",
		},
		"a paused control plane": {
			silence.Facts{Controller: kubeadm, Owner: paused(alone())}, of(silence.PausedByAnnotation, "KubeadmControlPlane", "o"),
			"kubectl annotate kubeadmcontrolplane o -n ns cluster.x-k8s.io/paused-",
		},
		"a paused one of another kind": {
			silence.Facts{Controller: other, Owner: paused(alone())}, of(silence.PausedByAnnotation, "RKE2ControlPlane", "o"),
			"kubectl annotate rke2controlplane o -n ns cluster.x-k8s.io/paused-",
		},
		"it is being deleted": {silence.Facts{Controller: machineSet, Owner: deleted(set())}, of(silence.Deleting, "MachineSet", "o"), ""},

		"scaled to zero": {
			silence.Facts{Controller: machineSet, Owner: alone(), Replicas: new(int32(0))}, of(silence.ScaledToZero, "MachineSet", "o"),
			"kubectl scale machineset o -n ns --replicas=1",
		},
		"with its MachineDeployment": {
			silence.Facts{Controller: machineSet, Owner: set(), Replicas: new(int32(0)), Deployment: deployment("2", toZero)}, of(silence.ScaledToZero, "MachineDeployment", "d"),
			"kubectl scale machinedeployment d -n ns --replicas=1",
		},
		"by a rollout":                        {silence.Facts{Controller: machineSet, Owner: set(), Replicas: new(int32(0)), Deployment: deployment("2", nil)}, none, ""},
		"under one that cannot be read":       {silence.Facts{Controller: machineSet, Owner: set(), Replicas: new(int32(0))}, none, ""},
		"the MachineDeployment will scale":    {silence.Facts{Controller: machineSet, Owner: set(), Replicas: new(int32(1)), Deployment: deployment("1", toZero)}, none, ""},
		"one that does not say what it wants": {silence.Facts{Controller: kubeadm, Owner: alone()}, none, ""},

		"the current revision":       {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", nil)}, none, ""},
		"the current one, OnDelete":  {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", onDelete)}, none, ""},
		"the current one, paused":    {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", bySpec)}, none, ""},
		"the current one, annotated": {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", byAnnotation)}, none, ""},
		"the current one, which allows none": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", inFlight("0"))}, of(silence.NoneInFlight, "MachineDeployment", "d"),
			`kubectl patch machinedeployment d -n ns --type=merge -p '{"spec":{"remediation":{"maxInFlight":1}}}'`,
		},
		"the current one, none of a hundred": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", inFlight("0%"))}, of(silence.NoneInFlight, "MachineDeployment", "d"),
			`kubectl patch machinedeployment d -n ns --type=merge -p '{"spec":{"remediation":{"maxInFlight":1}}}'`,
		},
		"the current one, one at a time":         {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", inFlight("1"))}, none, ""},
		"the current one, a few of many":         {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", inFlight("1%"))}, none, ""},
		"the current one, what nobody can read":  {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", inFlight("some"))}, none, ""},
		"an old revision, where none is allowed": {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("2", inFlight("0"))}, none, ""},
		"the current one, none by its topology": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("1", ofTopology)}, byTopology(silence.NoneInFlight),
			"kubectl edit cluster c -n ns",
		},
		"none wanted by its topology": {
			silence.Facts{Controller: machineSet, Owner: set(), Replicas: new(int32(0)), Deployment: deployment("1", func(d *clusterv1.MachineDeployment) { ofTopology(d); toZero(d) })},
			byTopology(silence.ScaledToZero), "kubectl edit cluster c -n ns",
		},
		"a paused one, where none is allowed": {
			silence.Facts{Controller: machineSet, Owner: paused(set()), Deployment: deployment("1", inFlight("0"))}, of(silence.PausedByAnnotation, "MachineSet", "o"),
			"kubectl annotate machineset o -n ns cluster.x-k8s.io/paused-",
		},
		"an old revision that rolls out": {silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("2", nil)}, none, ""},
		"an old revision, OnDelete": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("2", onDelete)}, of(silence.OnDelete, "MachineDeployment", "d"),
			"kubectl delete machine m -n ns",
		},
		"an old revision, paused": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("2", bySpec)}, of(silence.PausedBySpec, "MachineDeployment", "d"),
			`kubectl patch machinedeployment d -n ns --type=merge -p '{"spec":{"paused":false}}'`,
		},
		"an old revision, annotated": {
			silence.Facts{Controller: machineSet, Owner: set(), Deployment: deployment("2", byAnnotation)}, of(silence.PausedByAnnotation, "MachineDeployment", "d"),
			"kubectl annotate machinedeployment d -n ns cluster.x-k8s.io/paused-",
		},
	} {
		got := silence.Of(tt.facts)
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		if command := got.Command("ns", "m"); command != tt.command {
			t.Errorf("%s: %q, want %q", name, command, tt.command)
		}
		if says := got.Words(); (says == "") != (tt.want == none) || !strings.Contains(says, strings.TrimSpace(got.Kind+" "+got.Name)) {
			t.Errorf("%s: it says %q", name, says)
		}
		if never := got.Never(); never != (tt.want != none && tt.want.Cause != silence.KindUnknown) {
			t.Errorf("%s: never is %t", name, never)
		}
	}
}

// TestOfDeletion: a machine of an older revision that is deleted is replaced by the rollout of its MachineDeployment, and so by nobody while that is
// paused. The MachineSet of the current revision makes another one all the same.
func TestOfDeletion(t *testing.T) {
	bySpec := func(d *clusterv1.MachineDeployment) { onDelete(d); d.Spec.Paused = new(true) }
	byAnnotation := func(d *clusterv1.MachineDeployment) { onDelete(d); d.Annotations[clusterv1.PausedAnnotation] = "" }
	for name, tt := range map[string]struct {
		deployment *clusterv1.MachineDeployment
		want       silence.Cause
	}{
		"OnDelete":                            {deployment("2", onDelete), silence.None},
		"OnDelete, paused by its spec":        {deployment("2", bySpec), silence.PausedBySpec},
		"OnDelete, paused by an annotation":   {deployment("2", byAnnotation), silence.PausedByAnnotation},
		"paused, but of the current revision": {deployment("1", bySpec), silence.None},
		"its MachineSet makes another one":    {deployment("2", func(d *clusterv1.MachineDeployment) { d.Spec.Paused = new(true) }), silence.None},
		"it is being deleted":                 {deployment("1", func(d *clusterv1.MachineDeployment) { d.DeletionTimestamp = new(metav1.Now()) }), silence.Deleting},
	} {
		facts := silence.Facts{Controller: ownedBy(core, "MachineSet"), Owner: set(), Replicas: new(int32(1)), Deployment: tt.deployment}
		if got := silence.OfDeletion(facts).Cause; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// TestMachineSetThatMakesNone: an annotation keeps a MachineSet from making machines, and only a rollout under way replaces one that is deleted.
func TestMachineSetThatMakesNone(t *testing.T) {
	of := func(d *clusterv1.MachineDeployment) silence.Facts {
		o := set()
		o.Annotations[clusterv1.DisableMachineCreateAnnotation] = "true"
		return silence.Facts{Controller: ownedBy(core, "MachineSet"), Owner: o, Replicas: new(int32(1)), Deployment: d}
	}
	rolling := func(d *clusterv1.MachineDeployment) {
		d.Spec.Rollout.Strategy.Type = clusterv1.RollingUpdateMachineDeploymentStrategyType
	}
	paused := func(d *clusterv1.MachineDeployment) {
		rolling(d)
		d.Annotations[clusterv1.PausedAnnotation] = ""
	}
	for name, tt := range map[string]struct {
		facts silence.Facts
		want  silence.Cause
		maker bool
	}{
		"alone":                       {of(nil), silence.MakesNone, false},
		"of a rollout that is paused": {of(deployment("2", paused)), silence.PausedByAnnotation, true},
		"of a rollout":                {of(deployment("2", rolling)), silence.None, true},
		"OnDelete":                    {of(deployment("2", onDelete)), silence.None, true},
	} {
		if got := silence.OfDeletion(tt.facts).Cause; got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if got := tt.facts.OtherMaker() != nil; got != tt.maker {
			t.Errorf("%s: the MachineDeployment makes the next one: %t", name, got)
		}
	}
}
