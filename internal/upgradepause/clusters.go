package upgradepause

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// clusterAPI is Cluster API's signal: a Cluster that rolls out another Kubernetes version pauses its own
// MachineHealthChecks, if it opts in.
type clusterAPI struct{ sources }

// Read implements Signal.
func (s clusterAPI) Read(ctx context.Context, check *metav1.PartialObjectMetadata) []pause.Reading {
	key, ok := clusterOf(check)
	if !ok {
		return nil
	}
	return []pause.Reading{s.read(ctx, key)}
}

func (s clusterAPI) read(ctx context.Context, key client.ObjectKey) pause.Reading {
	reading := pause.Reading{IDs: pause.ClusterIDs, Subject: clusterReference(key)}
	cluster := &clusterv1.Cluster{}
	if err := s.get(ctx, key, cluster); err != nil {
		if reading.Off = apierrors.IsNotFound(err); !reading.Off {
			reading.Err, reading.MayBeExcepted = err, errors.Is(err, pause.ErrStarting)
		}
		return reading
	}
	reading.Subject.UID = cluster.UID
	reading.Excepted = cluster.Annotations[pause.OptionAnnotation] == "false"
	wanted, err := pause.WantedBy(cluster)
	if err != nil || !wanted {
		reading.Off, reading.Err = err == nil, err
		return reading
	}
	reading.Upgrades, reading.Err = s.upgrades(ctx, cluster)
	return reading
}

// upgrades reads the objects that show which versions a Cluster has and should have.
func (s clusterAPI) upgrades(ctx context.Context, cluster *clusterv1.Cluster) ([]pause.Upgrade, error) {
	controlPlane, err := s.controlPlane(ctx, cluster)
	if err != nil {
		return nil, err
	}
	var deployments clusterv1.MachineDeploymentList
	if err := s.list(ctx, &clusterv1.MachineDeployment{}, &deployments, client.InNamespace(cluster.Namespace)); err != nil {
		return nil, err
	}
	machines, err := s.machinesOf(ctx, client.ObjectKeyFromObject(cluster))
	if err != nil {
		return nil, err
	}
	return pause.OfCluster(cluster, controlPlane, deployments.Items, pause.InServiceOf(machines))
}

// controlPlane reads the control plane, whatever its kind; nil if there is none.
func (s clusterAPI) controlPlane(ctx context.Context, cluster *clusterv1.Cluster) (*unstructured.Unstructured, error) {
	ref := cluster.Spec.ControlPlaneRef
	if !ref.IsDefined() {
		return nil, nil
	}
	mapping, err := s.mapper.RESTMapping(schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind})
	if err != nil {
		return nil, fmt.Errorf("looking for kind %s of %s: %w", ref.Kind, ref.APIGroup, err)
	}
	controlPlane := &unstructured.Unstructured{}
	controlPlane.SetGroupVersionKind(mapping.GroupVersionKind)
	return controlPlane, s.get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: ref.Name}, controlPlane)
}

func clusterReference(key client.ObjectKey) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: clusterv1.GroupVersion.String(), Kind: "Cluster", Namespace: key.Namespace, Name: key.Name}
}

// clusterOf returns the Cluster that an object belongs to. It reads no spec, only the label or the owner
// reference that Cluster API and Sickbay set.
func clusterOf(obj client.Object) (client.ObjectKey, bool) {
	if name := obj.GetLabels()[clusterv1.ClusterNameLabel]; name != "" {
		return client.ObjectKey{Namespace: obj.GetNamespace(), Name: name}, true
	}
	for _, owner := range obj.GetOwnerReferences() {
		group, err := schema.ParseGroupVersion(owner.APIVersion)
		if err == nil && group.Group == clusterv1.GroupVersion.Group && owner.Kind == "Cluster" {
			return client.ObjectKey{Namespace: obj.GetNamespace(), Name: owner.Name}, true
		}
	}
	return client.ObjectKey{}, false
}
