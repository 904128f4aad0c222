package reboot

import (
	"context"
	"errors"
	"testing"

	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// owners answers reads of owners by kind and name.
type owners struct {
	client.Reader
	of     map[string]*metav1.PartialObjectMetadata
	broken bool
}

func (o owners) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	kind := obj.GetObjectKind().GroupVersionKind()
	found := o.of[kind.Kind+" "+key.Name]
	switch {
	case o.broken:
		return errors.New("no answer")
	case found == nil || found.GroupVersionKind() != kind:
		return apierrors.NewNotFound(schema.GroupResource{Resource: kind.Kind}, key.Name)
	}
	found.DeepCopyInto(obj.(*metav1.PartialObjectMetadata))
	return nil
}

func ownedBy(gv schema.GroupVersion, kind, name string, annotations ...string) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Annotations: map[string]string{}}}
	if kind != "" {
		obj.OwnerReferences = []metav1.OwnerReference{{APIVersion: gv.String(), Kind: kind, Name: name, Controller: new(true)}}
	}
	for _, key := range annotations {
		obj.Annotations[key] = "3"
	}
	return obj
}

// TestAutoscaled: the annotations of the Cluster Autoscaler count on any owner that it can scale, and an owner that cannot be read may have them.
func TestAutoscaled(t *testing.T) {
	const minSize, maxSize = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size", "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
	const openShiftMin = "machine.openshift.io/cluster-api-autoscaler-node-group-min-size"
	capi, openShift := clusterv1.GroupVersion, machinev1.GroupVersion
	old := schema.GroupVersion{Group: capi.Group, Version: "v1beta1"}
	at := func(gv schema.GroupVersion, kind string, obj *metav1.PartialObjectMetadata) *metav1.PartialObjectMetadata {
		obj.SetGroupVersionKind(gv.WithKind(kind))
		return obj
	}
	deployment := func(annotations ...string) map[string]*metav1.PartialObjectMetadata {
		return map[string]*metav1.PartialObjectMetadata{
			"MachineSet ms":        at(capi, "MachineSet", ownedBy(capi, "MachineDeployment", "md")),
			"MachineDeployment md": at(capi, "MachineDeployment", ownedBy(capi, "", "", annotations...)),
		}
	}
	for name, c := range map[string]struct {
		machine *metav1.PartialObjectMetadata
		owners  owners
		want    bool
	}{
		"no owner":               {ownedBy(capi, "", ""), owners{}, false},
		"another kind of owner":  {ownedBy(capi, "KubeadmControlPlane", "ms"), owners{broken: true}, false},
		"an owner that is gone":  {ownedBy(capi, "MachineSet", "ms"), owners{}, false},
		"nobody scales it":       {ownedBy(capi, "MachineSet", "ms"), owners{of: deployment()}, false},
		"MachineDeployment, min": {ownedBy(capi, "MachineSet", "ms"), owners{of: deployment(minSize)}, true},
		"MachineDeployment, max": {ownedBy(capi, "MachineSet", "ms"), owners{of: deployment(maxSize)}, true},
		"of another group":       {ownedBy(capi, "MachineSet", "ms"), owners{of: deployment(openShiftMin)}, false},
		"MachineSet alone": {ownedBy(old, "MachineSet", "ms"), owners{of: map[string]*metav1.PartialObjectMetadata{
			"MachineSet ms": at(old, "MachineSet", ownedBy(capi, "", "", minSize)),
		}}, true},
		"MachinePool": {ownedBy(capi, "MachinePool", "mp"), owners{of: map[string]*metav1.PartialObjectMetadata{
			"MachinePool mp": at(capi, "MachinePool", ownedBy(capi, "", "", maxSize)),
		}}, true},
		"OpenShift": {ownedBy(openShift, "MachineSet", "ms"), owners{of: map[string]*metav1.PartialObjectMetadata{
			"MachineSet ms": at(openShift, "MachineSet", ownedBy(openShift, "", "", openShiftMin)),
		}}, true},
		"cannot be read": {ownedBy(capi, "MachineSet", "ms"), owners{broken: true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (reader{live: c.owners}).autoscaled(t.Context(), &observed{facts: in(v1alpha1.Pending), machine: &machine{object: c.machine}}); got != c.want {
				t.Errorf("autoscaled is %t, want %t", got, c.want)
			}
		})
	}
}
