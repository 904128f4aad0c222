package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/simulate"
)

// readChanges reads the health checks and plans of files. Each error names the file and the document.
func readChanges(files []string, stdin io.Reader) (simulate.Changes, error) {
	changes, seen := simulate.Changes{}, map[string]string{}
	for _, file := range files {
		data, err := readFile(file, stdin)
		if err != nil {
			return changes, fmt.Errorf("reading %s: %w", file, err)
		}
		documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		found := 0
		for n := 1; ; n++ {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			where := fmt.Sprintf("%s, document %d", file, n)
			if err != nil {
				return changes, fmt.Errorf("%s: %w", where, err)
			}
			if blank(document) {
				continue
			}
			found++
			if err := addDocument(&changes, document, where, seen); err != nil {
				return changes, fmt.Errorf("%s: %w", where, err)
			}
		}
		if found == 0 {
			return changes, fmt.Errorf("%s has no documents", file)
		}
	}
	return changes, nil
}

func readFile(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}

// blank reports whether a document has comments and nothing else.
func blank(document []byte) bool {
	for line := range strings.Lines(string(document)) {
		if text := strings.TrimSpace(line); text != "" && text != "---" && !strings.HasPrefix(text, "#") {
			return false
		}
	}
	return true
}

// addDocument reads one document. What is in it may have been in none before.
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
		err = usable(one)
	}
	if name == "" {
		return fmt.Errorf("the %s has no metadata.name", kind)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	key := kind + " " + namespace + "/" + name
	if before, ok := seen[key]; ok {
		return fmt.Errorf("%s %s is in %s, too", kind, name, before)
	}
	seen[key] = where
	return nil
}

// decode reads a MachineHealthCheck or a MachineRemediationTemplate. A field that does not exist is an error.
func decode(document []byte) (runtime.Object, error) {
	scheme := app.Scheme()
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	obj, gvk, err := decoder.Decode(document, nil, nil)
	switch {
	case runtime.IsMissingKind(err), runtime.IsMissingVersion(err):
		return nil, errors.New("it has no apiVersion, or no kind")
	case gvk != nil && !simulated(*gvk):
		return nil, fmt.Errorf("%s of %s cannot be simulated: it must be a MachineHealthCheck of %s or a MachineRemediationTemplate of %s",
			gvk.Kind, gvk.GroupVersion(), clusterv1.GroupVersion, v1alpha1.GroupVersion)
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "strict decoding error: "))
	}
	return obj, nil
}

func simulated(gvk schema.GroupVersionKind) bool {
	return gvk == clusterv1.GroupVersion.WithKind("MachineHealthCheck") || gvk == v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate")
}

// usable says what the API server would refuse in a plan, as far as nothing could be played with it.
func usable(plan *v1alpha1.MachineRemediationTemplate) error {
	steps := plan.Spec.Template.Spec.Steps
	if len(steps) == 0 {
		return errors.New("spec.template.spec.steps is empty")
	}
	for _, step := range steps {
		switch {
		case step.Name == "" || step.Action == "":
			return errors.New("each of spec.template.spec.steps must have a name and an action")
		case step.Action != v1alpha1.ActionHold && step.TimeoutSeconds == nil:
			return fmt.Errorf("step %s has no timeoutSeconds", step.Name)
		case step.Action == v1alpha1.ActionRequest && step.TemplateRef == nil:
			return fmt.Errorf("step %s has no templateRef", step.Name)
		}
	}
	return nil
}
