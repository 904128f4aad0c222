package lint

import (
	"fmt"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/sickbay-dev/sickbay/internal/convert"
)

// metadata validates the name, the labels and so on like an API server.
func (l *linter) metadata(at place) {
	var object metav1.PartialObjectMetadata
	only := map[string]any{"metadata": at.obj.Value["metadata"]}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(only, &object, true); err != nil {
		l.add(at.find(Error, "metadata", strings.TrimPrefix(err.Error(), "strict decoding error: ")))
		return
	}
	object.Namespace = "default"
	if named := at.obj.Namespace(); named != "" {
		object.Namespace = named
	}
	namespaced := at.obj.Kind().Kind != "NodeHealthCheck"
	if !namespaced {
		object.Namespace = ""
	}
	for _, err := range apivalidation.ValidateObjectMeta(&object.ObjectMeta, namespaced, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")) {
		l.add(at.find(Error, err.Field, sentence(err)))
	}
}

// wrongVersion reports which versions of a kind exist.
func (l *linter) wrongVersion(at place, all []string) {
	message := fmt.Sprintf("there is no version %q of it; there is %s", at.obj.Kind().Version, strings.Join(all, ", "))
	if convert.Known(at.obj.Kind()) {
		message += ", as which sickbay convert writes it"
	}
	l.add(at.find(Error, "apiVersion", message))
}
