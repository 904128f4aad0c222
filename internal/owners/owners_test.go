package owners_test

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/owners"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// stored answers with a paused MachineDeployment of a newer revision, its MachineSet, a control plane that wants no machines, or an error.
type stored struct {
	client.Reader
	err   error
	reads int
}

func (s *stored) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	s.reads++
	if s.err != nil {
		return s.err
	}
	switch o := obj.(type) {
	case *clusterv1.MachineSet:
		*o = *build.MachineSet(key.Namespace, key.Name)
		o.UID = "uid-of-owner"
		o.Labels = map[string]string{clusterv1.MachineDeploymentNameLabel: "d"}
	case *clusterv1.MachineDeployment:
		o.Namespace, o.Name, o.Annotations = key.Namespace, key.Name, map[string]string{clusterv1.RevisionAnnotation: "2"}
		o.Spec.Paused = new(true)
	case *unstructured.Unstructured:
		o.Object = map[string]any{"metadata": map[string]any{"uid": "uid-of-owner"}, "spec": map[string]any{"replicas": int64(0)}}
	}
	return nil
}

func machineOf(apiVersion, kind, uid string) *clusterv1.Machine {
	m := build.Machine("ns", "m")
	m.OwnerReferences = []metav1.OwnerReference{{APIVersion: apiVersion, Kind: kind, Name: "o", UID: "uid-of-owner", Controller: new(true)}}
	if uid != "" {
		m.OwnerReferences[0].UID = "another"
	}
	return m
}

// TestOf: what decides is read of the owner, of its MachineDeployment and of the Cluster, and what nobody may read is unknown.
func TestOf(t *testing.T) {
	const core, plane = "cluster.x-k8s.io/v1beta2", "controlplane.cluster.x-k8s.io/v1beta2"
	broken := errors.New("no connection")
	for name, tt := range map[string]struct {
		machine *clusterv1.Machine
		err     error
		want    silence.Cause
		fails   error
	}{
		"a MachineSet of an older revision": {machine: machineOf(core, "MachineSet", ""), want: silence.PausedBySpec},
		"another one of its name":           {machine: machineOf(core, "MachineSet", "another")},
		"a control plane":                   {machine: machineOf(plane, "KubeadmControlPlane", ""), want: silence.ScaledToZero},
		"nobody controls it":                {machine: build.Machine("ns", "m")},
		"it is gone":                        {machine: machineOf(core, "MachineSet", ""), err: apierrors.NewNotFound(schema.GroupResource{}, "o")},
		"it may not be read":                {machine: machineOf(plane, "Other", ""), err: apierrors.NewForbidden(schema.GroupResource{}, "o", broken), want: silence.KindUnknown},
		"it cannot be read":                 {machine: machineOf(core, "MachineSet", ""), err: broken, fails: broken},
	} {
		r := owners.Reader{Live: &stored{err: tt.err}}
		facts, err := r.Of(t.Context(), tt.machine, build.Cluster("ns", "c"))
		if got := silence.Of(facts).Cause; got != tt.want || !errors.Is(err, tt.fails) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestOnce: the machines of one owner cost one read.
func TestOnce(t *testing.T) {
	s := &stored{}
	r := owners.Reader{Live: s}
	for range 3 {
		if _, err := r.Of(t.Context(), machineOf("controlplane.cluster.x-k8s.io/v1beta2", "KubeadmControlPlane", ""), nil); err != nil {
			t.Fatal(err)
		}
	}
	if s.reads != 1 {
		t.Errorf("%d reads", s.reads)
	}
}
