package metal

import (
	"maps"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Deed is what the operator of a host does next.
type Deed struct {
	// What says what it is; empty for nothing.
	What string
	// Status changes the status of the BareMetalHost, and Rest what is not its status; nil if it stays.
	Status, Rest func(*metal3v1.BareMetalHost)
	// Switch is the command that the host gets; nil if it gets none.
	Switch *bool
}

// Operate returns what the operator does about a host, step by step as the real one: it reports the power, answers requests, and gives a command.
func Operate(host *metal3v1.BareMetalHost, iron *Iron) Deed {
	if ignored(host) {
		return Deed{}
	}
	want := wanted(host)
	switch {
	case iron.Lost:
		return unreachable(host, want)
	case host.Status.ErrorType != "":
		return Deed{What: "reaches the BMC again", Status: func(h *metal3v1.BareMetalHost) { fails(h, "", metal3v1.OperationalStatusOK) }}
	case host.Status.PoweredOn != iron.On:
		return Deed{What: "sees a change of the power", Status: func(h *metal3v1.BareMetalHost) { h.Status.PoweredOn = iron.On }}
	case !iron.On && metav1.HasAnnotation(host.ObjectMeta, metal3v1.RebootAnnotationPrefix):
		return Deed{What: "answers that the host is off", Rest: func(h *metal3v1.BareMetalHost) {
			h.Annotations = maps.Clone(h.Annotations)
			delete(h.Annotations, metal3v1.RebootAnnotationPrefix)
		}}
	case iron.On != want && iron.turnsOn == nil:
		return Deed{What: "switches the host", Switch: &want}
	}
	return Deed{}
}

// unreachable reports an error if the host would have to be switched, and nobody reaches it.
func unreachable(host *metal3v1.BareMetalHost, want bool) Deed {
	if host.Status.PoweredOn == want || host.Status.ErrorType != "" {
		return Deed{}
	}
	return Deed{What: "does not reach the BMC", Status: func(h *metal3v1.BareMetalHost) {
		fails(h, metal3v1.PowerManagementError, metal3v1.OperationalStatusError)
	}}
}

func fails(host *metal3v1.BareMetalHost, how metal3v1.ErrorType, status metal3v1.OperationalStatus) {
	host.Status.ErrorType, host.Status.OperationalStatus, host.Status.ErrorMessage = how, status, ""
	if how != "" {
		host.Status.ErrorMessage = "the BMC does not answer"
	}
}

// ignored reports whether the operator does nothing about a host.
func ignored(host *metal3v1.BareMetalHost) bool {
	return metav1.HasAnnotation(host.ObjectMeta, metal3v1.PausedAnnotation) || metav1.HasAnnotation(host.ObjectMeta, metal3v1.DetachedAnnotation)
}

// wanted reports whether a host is to be on: its user wants that, and nobody keeps it off.
func wanted(host *metal3v1.BareMetalHost) bool { return host.Spec.Online && !KeptOff(host) }

// KeptOff reports whether an annotation keeps a host off.
func KeptOff(host *metal3v1.BareMetalHost) bool {
	for key := range host.Annotations {
		if key == metal3v1.RebootAnnotationPrefix || strings.HasPrefix(key, metal3v1.RebootAnnotationPrefix+"/") {
			return true
		}
	}
	return false
}
