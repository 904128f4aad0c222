package cli

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/lint"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// readChanges reads the health checks and plans in files. Errors that lint finds name the file and line; other errors name the
// file and document.
func readChanges(files []manifest.File) (simulate.Changes, error) {
	changes, seen := simulate.Changes{}, map[string]string{}
	for _, file := range files {
		documents, err := sound(file)
		if err != nil {
			return changes, err
		}
		for n, document := range documents {
			where := fmt.Sprintf("%s, document %d", file.Name, n+1)
			if len(document.Objects) == 0 {
				continue
			}
			if err := addDocument(&changes, []byte(document.Text), where, seen); err != nil {
				return changes, fmt.Errorf("%s: %w", where, err)
			}
		}
	}
	if len(files) > 0 && len(seen) == 0 {
		return changes, fmt.Errorf("%s has no documents", files[0].Name)
	}
	return changes, nil
}

// sound returns the documents of a file, or the first error that lint finds in them.
func sound(file manifest.File) ([]*manifest.Document, error) {
	if file.Err != nil {
		return nil, file.Err
	}
	documents, problems := manifest.Parse(file.Name, file.Data)
	found, err := lint.Check(documents, problems, nil)
	if err != nil {
		return nil, fmt.Errorf("checking %s: %w", file.Name, err)
	}
	for _, one := range found.Findings {
		if one.Level == lint.Error || one.Template {
			return nil, errors.New(one.String())
		}
	}
	if len(problems) > 0 {
		return nil, problems[0]
	}
	return documents, nil
}

// addDocument adds the object in a document, unless an earlier document had the same object.
func addDocument(changes *simulate.Changes, document []byte, where string, seen map[string]string) error {
	obj, err := decode(document)
	if err != nil {
		return err
	}
	var kind, namespace, name string
	switch one := obj.(type) {
	case *clusterv1.MachineHealthCheck:
		changes.Checks = append(changes.Checks, one)
		kind, namespace, name = "MachineHealthCheck", one.Namespace, one.Name
	case *v1alpha1.MachineRemediationTemplate:
		changes.Plans = append(changes.Plans, one)
		kind, namespace, name = "MachineRemediationTemplate", one.Namespace, one.Name
	}
	if name == "" {
		return fmt.Errorf("the %s has no metadata.name", kind)
	}
	key := kind + " " + namespace + "/" + name
	if before, ok := seen[key]; ok {
		return fmt.Errorf("%s %s is also in %s", kind, name, before)
	}
	seen[key] = where
	return nil
}

// decode reads a MachineHealthCheck or a MachineRemediationTemplate. Unknown fields are errors.
func decode(document []byte) (runtime.Object, error) {
	scheme := app.Scheme()
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	obj, gvk, err := decoder.Decode(document, nil, nil)
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return nil, errors.New("it has no apiVersion or no kind")
	case gvk != nil && !simulated(*gvk):
		return nil, fmt.Errorf("%s of %s cannot be simulated: it must be a MachineHealthCheck of %s (sickbay convert writes it) or a MachineRemediationTemplate of %s",
			gvk.Kind, gvk.GroupVersion(), clusterv1.GroupVersion, v1alpha1.GroupVersion)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "strict decoding error: "))
	}
	return obj, nil
}

func simulated(gvk schema.GroupVersionKind) bool {
	return gvk == clusterv1.GroupVersion.WithKind("MachineHealthCheck") || gvk == v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate")
}
