package world

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"

	sickbaycrd "github.com/sickbay-dev/sickbay/config/crd"
	"github.com/sickbay-dev/sickbay/sim/world/clusterapi"
)

// apiVersion is the one version of Cluster API's kinds that a world serves.
const apiVersion = "v1beta2"

// crdFiles says where Cluster API's modules keep the definitions.
var crdFiles = []struct{ module, glob string }{
	{"sigs.k8s.io/cluster-api", clusterapi.CRDs + "cluster.x-k8s.io_*.yaml"},
	{"sigs.k8s.io/cluster-api", clusterapi.CRDs + "runtime.cluster.x-k8s.io_*.yaml"},
	{"sigs.k8s.io/cluster-api", "bootstrap/kubeadm/config/crd/bases/*.yaml"},
	{"sigs.k8s.io/cluster-api", "controlplane/kubeadm/config/crd/bases/*.yaml"},
	{"sigs.k8s.io/cluster-api/test", "infrastructure/docker/config/crd/bases/*_dev*.yaml"},
}

// ClusterAPICRDs reads the definitions of Cluster API's kinds from its Go modules, and reduces them
// to v1beta2 so that they need no conversion webhook.
func ClusterAPICRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, source := range crdFiles {
		dir, err := moduleDir(source.module)
		if err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(dir, source.glob))
		if err != nil {
			return nil, fmt.Errorf("listing %s of %s: %w", source.glob, source.module, err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("module %s has no files %s", source.module, source.glob)
		}
		for _, file := range files {
			crd, err := readCRD(file)
			if err != nil {
				return nil, err
			}
			crds = append(crds, crd)
		}
	}
	return crds, nil
}

// SickbayCRDs returns the definitions of Sickbay's own kinds, as the command sickbay crds prints
// them.
func SickbayCRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	stream, err := sickbaycrd.YAML()
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading Sickbay's CRDs: %w", err)
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(document, definition); err != nil {
			return nil, fmt.Errorf("parsing Sickbay's CRDs: %w", err)
		}
		crds = append(crds, definition)
	}
}

func readCRD(file string) (*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a CRD: %w", err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(data, crd); err != nil {
		return nil, fmt.Errorf("parsing %s: %w", file, err)
	}
	for _, version := range crd.Spec.Versions {
		if version.Name == apiVersion {
			return onlyVersion(crd, version), nil
		}
	}
	return nil, fmt.Errorf("%s has no version %s", file, apiVersion)
}

func onlyVersion(crd *apiextensionsv1.CustomResourceDefinition, version apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceDefinition {
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{version}
	crd.Spec.Conversion = nil
	if crd.Labels == nil {
		crd.Labels = map[string]string{}
	}
	// This label resolves references by contract version. Upstream's release manifests have it; the
	// files in the module do not.
	crd.Labels[clusterv1.GroupVersion.Group+"/"+apiVersion] = apiVersion
	return crd
}
