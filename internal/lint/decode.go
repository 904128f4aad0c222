package lint

import (
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	sigsyaml "sigs.k8s.io/yaml"
)

func decode(value map[string]any, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(value, into)
}

func decodeNode(node *yaml.Node, into any) error {
	data, err := yaml.Marshal(node)
	if err != nil {
		return err
	}
	return sigsyaml.Unmarshal(data, into)
}

// fieldOf returns the field that a controller's message is about, and the message without it.
func fieldOf(sentence string) (field, rest string) {
	first, rest, ok := strings.Cut(sentence, " ")
	switch {
	case ok && strings.HasPrefix(first, "spec."):
		return first, rest
	case ok && first == "annotation":
		annotation, rest, _ := strings.Cut(rest, " ")
		return "metadata.annotations[" + annotation + "]", rest
	case strings.HasPrefix(sentence, "MachineRemediationTemplate "):
		return "spec.remediation.templateRef", sentence
	}
	return "spec", sentence
}
