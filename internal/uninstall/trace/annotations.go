package trace

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/keys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy"
)

const (
	rebootFinalizer     = reboot.Finalizer
	rebootNodeFinalizer = reboot.NodeFinalizer
	annotationsPath     = "/metadata/annotations"
)

// takeAnnotation takes one away.
func (f *Finding) takeAnnotation(name, value, what string) {
	f.take(ownwrites.Path(annotationsPath, name), value)
	f.What = append(f.What, what)
}

// annotations finds those that Sickbay has written for itself. Those of people stay, unless they are to go, too.
func annotations(obj *unstructured.Unstructured, o Options, yours *[]string) (f Finding) {
	known := keys.On(obj.GetKind())
	for _, name := range slices.Sorted(maps.Keys(obj.GetAnnotations())) {
		if !strings.HasPrefix(name, keys.Prefix) {
			continue
		}
		i := slices.IndexFunc(known, func(a keys.Annotation) bool { return a.Key == name })
		byUs := i >= 0 && (known[i].By == keys.Sickbay || known[i].By == keys.Either && owns(fieldsOf(obj, true, "f:metadata", "f:annotations"), "f:"+name))
		if byUs || o.Annotations {
			f.takeAnnotation(name, obj.GetAnnotations()[name], "annotation "+name)
			continue
		}
		*yours = append(*yours, "annotation "+name)
	}
	return f.of(obj)
}

// rebootAsked finds the request for a power cycle of a health check; one of a person stays.
func rebootAsked(obj *unstructured.Unstructured) (f Finding) {
	if remedy.RebootRequestedByHealthCheck(obj) {
		f.takeAnnotation(remedy.RebootAnnotation, obj.GetAnnotations()[remedy.RebootAnnotation], "annotation "+remedy.RebootAnnotation)
	}
	return f.of(obj)
}

// keysOf finds what keeps a host off, or has it switched off.
func keysOf(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range slices.Sorted(maps.Keys(obj.GetAnnotations())) {
		value := obj.GetAnnotations()[name]
		if strings.HasPrefix(name, cycle.KeyPrefix) {
			f.takeAnnotation(name, value, "annotation "+name+", which keeps it off")
		}
		if name == cycle.ProbeKey && cycle.Asks(value) {
			f.takeAnnotation(name, value, "annotation "+name+", which has it switched off")
		}
	}
	return f.of(obj)
}

// unhealthyMarks finds what keeps a host from being handed out again.
func unhealthyMarks(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range cycle.UnhealthyKeys {
		if value := obj.GetAnnotations()[name]; value == cycle.UnhealthyByUs {
			f.takeAnnotation(name, value, "annotation "+name)
		}
	}
	return f.of(obj)
}

// handedOver is what people have written who had Sickbay take the place of Cluster API's own controller.
const handedOver = "annotation " + clusterv1.PausedAnnotation + "=" + mhcspec.HandedOverValue + ", by which Cluster API's own controller leaves it alone"

// pause ends a pause for an upgrade, and leaves one of somebody else.
func pause(obj *unstructured.Unstructured, o Options, yours *[]string) (f Finding) {
	value := obj.GetAnnotations()[clusterv1.PausedAnnotation]
	_, marked := obj.GetAnnotations()[mhcspec.UpgradeMarker]
	upgrade := value == mhcspec.UpgradeValue || value == mhcspec.HandedOverUpgradeValue
	switch {
	case upgrade && marked:
		f.resume(value, o, yours)
	case upgrade:
		*yours = append(*yours, "annotation "+clusterv1.PausedAnnotation+"="+value+", as somebody took the pause over")
	case value == mhcspec.HandedOverValue && o.Annotations:
		f.takeAnnotation(clusterv1.PausedAnnotation, value, "annotation "+clusterv1.PausedAnnotation+"="+value)
	case value == mhcspec.HandedOverValue:
		*yours = append(*yours, handedOver)
	}
	if marked && (upgrade || owns(fieldsOf(obj, true, "f:metadata", "f:annotations"), "f:"+mhcspec.UpgradeMarker)) {
		f.take(ownwrites.Path(annotationsPath, mhcspec.UpgradeMarker), nil)
		f.What = append(f.What, "annotation "+mhcspec.UpgradeMarker)
	}
	return f.of(obj)
}

// resume ends a pause of ours. What was handed over stays so, as people have done that.
func (f *Finding) resume(value string, o Options, yours *[]string) {
	if value == mhcspec.UpgradeValue || o.Annotations {
		f.takeAnnotation(clusterv1.PausedAnnotation, value, "the pause for an upgrade")
		return
	}
	at := ownwrites.Path(annotationsPath, clusterv1.PausedAnnotation)
	f.Patch = append(f.Patch, ownwrites.Test(at, value), ownwrites.Op{Op: "replace", Path: at, Value: mhcspec.HandedOverValue})
	f.What = append(f.What, "the pause for an upgrade")
	*yours = append(*yours, handedOver)
}

// namesPlan tells people of a plan that nobody but Sickbay carries out.
func namesPlan(obj *unstructured.Unstructured, yours *[]string) {
	ref, _, _ := unstructured.NestedStringMap(obj.Object, "spec", "remediation", "templateRef")
	if ref["kind"] == Plans.Kind && strings.HasPrefix(ref["apiVersion"], keys.Prefix) {
		*yours = append(*yours, "spec.remediation.templateRef, which names the plan "+ref["name"]+": nobody else can use it")
	}
}
