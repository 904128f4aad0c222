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

	"github.com/sickbay-dev/sickbay/internal/keys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// annotated are the groups of the kinds on which annotations of Sickbay may stand.
var annotated = []string{"cluster.x-k8s.io", "machine.openshift.io"}

// takesAnnotations reports whether annotations of Sickbay may stand on objects of a kind.
func takesAnnotations(kind schema.GroupVersionKind) bool {
	return slices.Contains(annotated, kind.Group) && len(keys.On(kind.Kind)) > 0
}

// hasOurs reports whether an object has an annotation of Sickbay.
func hasOurs(annotations map[string]string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(annotations)), func(key string) bool { return strings.HasPrefix(key, keys.Prefix) })
}

// annotationsOf are those of an object whose metadata can be read.
func annotationsOf(value map[string]any) map[string]string {
	all := map[string]string{}
	for key, value := range fields(fields(value["metadata"])["annotations"]) {
		if text, ok := value.(string); ok {
			all[key] = text
		}
	}
	return all
}

// annotationsOnly judges an object that is none of lint's business but for its annotations of Sickbay.
func (l *linter) annotationsOnly(at place) {
	kind, annotations := at.obj.Kind().Kind, annotationsOf(at.obj.Value)
	l.unknownAnnotations(at)
	l.hold(at, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Annotations: annotations}})
	if kind == keys.Cluster {
		for _, key := range []string{quorum.Permission, mhcspec.PauseOnUpgradeAnnotation} {
			if value, ok := annotations[key]; ok && value != "true" && value != "false" {
				l.add(at.find(Error, fieldAnnotation(key), fmt.Sprintf("it is %s: it must be %q or %q", mhcspec.Quoted(value), "true", "false")))
			}
		}
	}
}

// unknownAnnotations finds those that look like Sickbay's and are not: nobody would ever look at them.
func (l *linter) unknownAnnotations(at place) {
	kind := at.obj.Kind().Kind
	for _, key := range slices.Sorted(maps.Keys(annotationsOf(at.obj.Value))) {
		if keys.Unknown(kind, key) {
			l.add(at.find(Error, fieldAnnotation(key), fmt.Sprintf("Sickbay has no such annotation for a %s, only %s",
				kind, strings.Join(keys.ForPeople(kind), ", "))))
		}
	}
}

// hold finds a hold that ends at no time that can be read.
func (l *linter) hold(at place, obj client.Object) {
	if why, until := mhcspec.OnHold(time.Time{}, obj); why != "" && until.IsZero() {
		_, value, _ := strings.Cut(why, " is ")
		l.add(at.find(Error, fieldAnnotation(mhcspec.HoldUntilAnnotation), "it is "+value))
	}
}

func fieldAnnotation(key string) string { return "metadata.annotations[" + key + "]" }
