package env

import (
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// base adds what every test of this module needs: the kinds of Cluster API, and a remediation provider.
func base() []Option {
	return []Option{WithScheme(clusterv1.AddToScheme), withCRDs(clusterAPICRDs), WithCRDs(remediationCRDs()...)}
}

// clusterAPICRDs returns the real definitions of the Cluster API kinds that Sickbay reads or writes.
func clusterAPICRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	dir, err := moduleDir("sigs.k8s.io/cluster-api")
	if err != nil {
		return nil, err
	}
	crds, err := readCRDs(filepath.Join(dir, "core", "config", "crd", "bases"),
		"cluster.x-k8s.io_clusters.yaml",
		"cluster.x-k8s.io_machines.yaml",
		"cluster.x-k8s.io_machinesets.yaml",
		"cluster.x-k8s.io_machinedeployments.yaml",
		"cluster.x-k8s.io_machinepools.yaml",
		"cluster.x-k8s.io_machinehealthchecks.yaml")
	for _, crd := range crds {
		keepV1Beta2(crd)
	}
	return crds, err
}

// keepV1Beta2 keeps only one version, so that no conversion webhook is needed. It sets the label that Cluster
// API's kustomization adds: without it, references by contract do not resolve.
func keepV1Beta2(crd *apiextensionsv1.CustomResourceDefinition) {
	version := clusterv1.GroupVersion.Version
	crd.Spec.Versions = slices.DeleteFunc(crd.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name != version })
	crd.Spec.Conversion = nil
	metav1.SetMetaDataLabel(&crd.ObjectMeta, clusterv1.GroupVersion.Group+"/"+version, version)
}
