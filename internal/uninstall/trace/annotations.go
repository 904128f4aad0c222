package trace

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/keys"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
)

const (
	rebootFinalizer     = cycle.Finalizer
	rebootNodeFinalizer = cycle.NodeFinalizer
	annotationsPath     = "/metadata/annotations"
	// clocks is the annotation in which the health check engine keeps the clocks of machinehealth. Other users of the library have other names.
	clocks = healthcheck.ProgressAnnotation + "machinehealth"
)

// takeAnnotation removes an annotation.
func (f *Finding) takeAnnotation(name, value, what string) {
	f.take(ownwrites.Path(annotationsPath, name), value)
	f.What = append(f.What, what)
}

// annotations finds the annotations that Sickbay wrote for itself. People's annotations stay, unless the options
// remove them, too.
func annotations(obj *unstructured.Unstructured, o Options, yours *[]string) (f Finding) {
	known := keys.On(obj.GetKind())
	for _, name := range slices.Sorted(maps.Keys(obj.GetAnnotations())) {
		if name == clocks {
			f.takeAnnotation(name, obj.GetAnnotations()[name], "annotation "+name)
			continue
		}
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

// rebootShown finds the signs of a record's power cycle, which answers an annotation for all steps or for a single one; a person's request stays.
func rebootShown(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range slices.Sorted(maps.Keys(obj.GetAnnotations())) {
		value := obj.GetAnnotations()[name]
		asks := name == rebootannotation.Request || strings.HasPrefix(name, rebootannotation.Request+"/")
		if asks && rebootannotation.IsSign(value) {
			f.takeAnnotation(name, value, "annotation "+name)
		}
	}
	return f.of(obj)
}

// keysOf finds the annotations that keep a host off, or request that it be switched off.
func keysOf(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range slices.Sorted(maps.Keys(obj.GetAnnotations())) {
		value := obj.GetAnnotations()[name]
		if strings.HasPrefix(name, cycle.KeyPrefix) {
			f.takeAnnotation(name, value, "annotation "+name+", which keeps it off")
		}
		if name == cycle.ProbeKey && cycle.IsOurs(value) {
			f.takeAnnotation(name, value, "annotation "+name+", which has it switched off")
		}
	}
	return f.of(obj)
}

// unhealthyMarks finds the annotations that keep a host from being used for another machine.
func unhealthyMarks(obj *unstructured.Unstructured) (f Finding) {
	for _, name := range cycle.UnhealthyKeys {
		if value := obj.GetAnnotations()[name]; value == cycle.UnhealthyByUs {
			f.takeAnnotation(name, value, "annotation "+name)
		}
	}
	return f.of(obj)
}

// handedOver describes what people write to let Sickbay replace Cluster API's own controller.
const handedOver = "annotation " + clusterv1.PausedAnnotation + "=" + mhcspec.HandedOverValue + ", by which Cluster API's own controller leaves it alone"

// pause ends our pause for an upgrade, and leaves pauses of others.
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

// resume ends our pause. A handed-over MachineHealthCheck stays so, since people did that.
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

// namesPlan tells people about a plan that only Sickbay carries out.
func namesPlan(obj *unstructured.Unstructured, yours *[]string) {
	ref, _, _ := unstructured.NestedStringMap(obj.Object, "spec", "remediation", "templateRef")
	if ref["kind"] == Plans.Kind && strings.HasPrefix(ref["apiVersion"], keys.Prefix) {
		*yours = append(*yours, "spec.remediation.templateRef, which names the plan "+ref["name"]+": nobody else can use it")
	}
}
