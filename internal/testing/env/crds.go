package env

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"
)

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

// keepV1Beta2 leaves one version, so that no conversion webhook is needed, and sets the label that
// Cluster API's kustomization adds: without it references by contract do not resolve.
func keepV1Beta2(crd *apiextensionsv1.CustomResourceDefinition) {
	version := clusterv1.GroupVersion.Version
	crd.Spec.Versions = slices.DeleteFunc(crd.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name != version })
	crd.Spec.Conversion = nil
	metav1.SetMetaDataLabel(&crd.ObjectMeta, clusterv1.GroupVersion.Group+"/"+version, version)
}

func readCRDs(dir string, patterns ...string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, fmt.Errorf("finding CRDs: %w", err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("finding CRDs: no file matches %s", filepath.Join(dir, pattern))
		}
		for _, file := range files {
			if filepath.Base(file) == "kustomization.yaml" {
				continue
			}
			crd, err := readCRD(file)
			if err != nil {
				return nil, err
			}
			crds = append(crds, crd)
		}
	}
	return crds, nil
}

func readCRD(file string) (*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading CRD: %w", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.Unmarshal(data, crd); err != nil {
		return nil, fmt.Errorf("parsing CRD %s: %w", file, err)
	}
	return crd, nil
}
