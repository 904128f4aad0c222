package upgradepause

import (
	"context"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// clusterVersionName is the name of the only ClusterVersion that OpenShift's operator reads.
const clusterVersionName = "version"

// clusterVersion is OpenShift's signal. It concerns every MachineHealthCheck.
type clusterVersion struct {
	sources
	installed *Installed
}

// Read implements Signal.
func (s clusterVersion) Read(ctx context.Context, check *metav1.PartialObjectMetadata) []pause.Reading {
	if !s.installed.get() {
		return nil
	}
	reading := pause.Reading{IDs: pause.ClusterVersionIDs, Subject: &corev1.ObjectReference{
		APIVersion: configv1.GroupVersion.String(), Kind: "ClusterVersion", Name: clusterVersionName,
	}}
	cv := &configv1.ClusterVersion{}
	err := s.get(ctx, client.ObjectKey{Name: clusterVersionName}, cv)
	if apierrors.IsNotFound(err) && !strings.Contains(check.Annotations[pause.HandledAnnotation], pause.ClusterVersionIDs) {
		// The kind is installed, but this is not OpenShift. If a pause for an upgrade of OpenShift is
		// recorded, this is an error instead.
		return nil
	}
	if reading.Err = err; err == nil {
		reading.Upgrades, reading.Err = pause.OfClusterVersion(cv)
	}
	return []pause.Reading{reading}
}
