package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/annotationkeys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// annotated are the API groups of the kinds that may have annotations of Sickbay.
var annotated = []string{"cluster.x-k8s.io", "machine.openshift.io"}

// takesAnnotations reports whether objects of a kind may have annotations of Sickbay.
func takesAnnotations(kind schema.GroupVersionKind) bool {
	return slices.Contains(annotated, kind.Group) && len(annotationkeys.On(kind.Kind)) > 0
}

// hasOurs reports whether an object has an annotation of Sickbay.
func hasOurs(annotations map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(annotations)), func(key string) bool { return strings.HasPrefix(key, annotationkeys.Prefix) })
}

// annotationsOf returns the annotations of an object if its metadata is valid.
func annotationsOf(value map[string]any) map[string]string {
	all := map[string]string{}
	for key, value := range fields(fields(value["metadata"])["annotations"]) {
		if text, ok := value.(string); ok {
			all[key] = text
		}
	}
	return all
}

// annotationsOnly checks only the annotations of an object that lint does not check otherwise.
func (l *linter) annotationsOnly(at place) {
	kind, annotations := at.obj.Kind().Kind, annotationsOf(at.obj.Value)
	l.unknownAnnotations(at)
	l.hold(at, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}})
	if kind == annotationkeys.Cluster {
		for _, key := range []string{quorum.Permission, mhcspec.PauseOnUpgradeAnnotation} {
			if value, ok := annotations[key]; ok && value != "true" && value != "false" {
				l.add(at.find(Error, fieldAnnotation(key), fmt.Sprintf("it is %s: it must be %q or %q", mhcspec.Quoted(value), "true", "false")))
			}
		}
	}
}

// unknownAnnotations finds annotations that look like Sickbay's but are not, so nobody reads them.
func (l *linter) unknownAnnotations(at place) {
	kind := at.obj.Kind().Kind
	for _, key := range slices.Sorted(maps.Keys(annotationsOf(at.obj.Value))) {
		if annotationkeys.Unknown(kind, key) {
			l.add(at.find(Error, fieldAnnotation(key), fmt.Sprintf("Sickbay has no such annotation for a %s, only %s",
				kind, strings.Join(annotationkeys.ForPeople(kind), ", "))))
		}
	}
}

// hold finds a hold whose end is not a valid time.
func (l *linter) hold(at place, obj client.Object) {
	if why, until := mhcspec.OnHold(time.Time{}, obj); why != "" && until.IsZero() {
		_, value, _ := strings.Cut(why, " is ")
		l.add(at.find(Error, fieldAnnotation(mhcspec.HoldUntilAnnotation), "it is "+value))
	}
}

func fieldAnnotation(key string) string { return "metadata.annotations[" + key + "]" }
