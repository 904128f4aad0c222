package lint

import (
	"fmt"
	"regexp"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// metadata validates the name, the labels and so on like an API server.
func (l *linter) metadata(at place) {
	var object metav1.PartialObjectMetadata
	only := map[string]any{"metadata": at.obj.Value["metadata"]}
	if l.unquoted(at) {
		return
	}
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
		said := sentence(err)
		if _, value, _ := manifest.At(at.obj.Node, err.Field); bareVariable.MatchString(value.Value) {
			said = "it looks like a variable, and nobody fills in one without braces, as in ${NAME}"
		}
		l.add(at.find(Error, err.Field, said))
	}
}

// bareVariable matches a variable that clusterctl and Flux do not fill in.
var bareVariable = regexp.MustCompile(`\$[A-Za-z_]`)

// unquoted finds metadata that is not text, since it lacks quotes.
func (l *linter) unquoted(at place) (found bool) {
	metadata := fields(at.obj.Value["metadata"])
	check := func(field string, value any) {
		if kind := map[string]string{"bool": "boolean", "int64": "integer", "float64": "number"}[fmt.Sprintf("%T", value)]; kind != "" {
			found = true
			l.add(at.find(Error, field, ofType("string", kind)))
		}
	}
	for _, field := range []string{"name", "namespace"} {
		check("metadata."+field, metadata[field])
	}
	for _, group := range []string{"labels", "annotations"} {
		for key, value := range fields(metadata[group]) {
			check("metadata."+group+"["+key+"]", value)
		}
	}
	return found
}

// wrongVersion reports which versions of a kind exist.
func (l *linter) wrongVersion(at place, all []string) {
	message := fmt.Sprintf("there is no version %q of it; there is %s", at.obj.Kind().Version, strings.Join(all, ", "))
	if l.writes(at.obj) {
		message += ", and sickbay convert writes " + clusterv1.GroupVersion.Version
	}
	l.add(at.find(Error, "apiVersion", message))
}
