package cycle

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mask"
)

// KeyPrefix begins all our keys on BareMetalHosts. Any annotation reboot.metal3.io/... keeps a host off.
const KeyPrefix = metal3v1.RebootAnnotationPrefix + "/sickbay-"

// ProbeKey asks for one power cycle. The host's operator removes it once it has seen the host off; next to our key, that is its answer
// to the key.
const ProbeKey = metal3v1.RebootAnnotationPrefix

// KeyOf returns the annotation by which a RebootRemediation keeps a host off. Each RebootRemediation has its own.
func KeyOf(request types.UID) string { return KeyPrefix + string(request) }

// keyContent is the value of both annotations. The operator reads the mode; the rest says who asked, and when.
type keyContent struct {
	Mode     metal3v1.RebootMode `json:"mode"`
	Request  types.UID           `json:"request"`
	ProbedAt metav1.Time         `json:"askedAt"`
}

// KeyValue returns the value of our key and of our one-shot request.
func KeyValue(request types.UID, probedAt time.Time) (string, error) {
	value, err := json.Marshal(keyContent{Mode: metal3v1.RebootModeHard, Request: request, ProbedAt: metav1.NewTime(probedAt)})
	if err != nil {
		return "", fmt.Errorf("encoding the key of %s: %w", request, err)
	}
	return string(value), nil
}

// contentOfKey reads a value, which may be somebody else's and have any content.
func contentOfKey(value string) keyContent {
	var content keyContent
	if err := json.Unmarshal([]byte(value), &content); err != nil {
		return keyContent{}
	}
	return content
}

// IsOurs reports whether the value of a key on a host is one of ours, whichever RebootRemediation it is for.
func IsOurs(value string) bool { return contentOfKey(value).Request != "" }

// HostFactsOf returns the facts of a BareMetalHost. The consumer is who must be using it.
func HostFactsOf(host *metal3v1.BareMetalHost, request types.UID, consumer Consumer) HostFacts {
	facts := HostFacts{
		Name: host.Name, UID: host.UID,
		Ours:      consumer.uses(host),
		Fenceable: !host.Spec.DisablePowerOff,
		Deleting:  !host.DeletionTimestamp.IsZero(),
		Online:    host.Spec.Online,
		PoweredOn: host.Status.PoweredOn,
	}
	facts.Obstacle, facts.Message = obstacle(host)
	facts.Unhealthy, facts.UnhealthyByUs = unhealthyMark(host)
	for key := range host.Annotations {
		switch {
		case key == KeyOf(request):
			facts.Key, facts.ProbedAt = true, contentOfKey(host.Annotations[key]).ProbedAt.Time
		case key == ProbeKey:
			facts.Probe = ProbeOf(host, request)
			facts.OtherProbe = !facts.Probe
		case strings.HasPrefix(key, metal3v1.RebootAnnotationPrefix+"/"):
			facts.OtherKeys = true
		}
	}
	return facts
}

// ProbeOf reports whether the one-shot request on a host is ours.
func ProbeOf(host *metal3v1.BareMetalHost, request types.UID) bool {
	return contentOfKey(host.Annotations[ProbeKey]).Request == request
}

// obstacle says why the power state of the host cannot be trusted or changed. It masks passwords in messages of the host.
func obstacle(host *metal3v1.BareMetalHost) (reason, message string) {
	status, name := host.Status, host.Name
	switch {
	case metav1.HasAnnotation(host.ObjectMeta, metal3v1.PausedAnnotation):
		return v1alpha1.ReasonHostPaused, "The host " + name + " is paused (annotation " + metal3v1.PausedAnnotation + ")"
	case metav1.HasAnnotation(host.ObjectMeta, metal3v1.DetachedAnnotation), status.OperationalStatus == metal3v1.OperationalStatusDetached:
		return v1alpha1.ReasonHostDetached, "The host " + name + " is detached (annotation " + metal3v1.DetachedAnnotation + ")"
	case status.Provisioning.State != metal3v1.StateProvisioned && status.Provisioning.State != metal3v1.StateExternallyProvisioned:
		return v1alpha1.ReasonHostNotProvisioned, fmt.Sprintf("The host %s is %q, not provisioned", name, status.Provisioning.State)
	case status.OperationalStatus == metal3v1.OperationalStatusServicing:
		return v1alpha1.ReasonHostServicing, "The firmware of the host " + name + " is being serviced"
	case status.ErrorType != "":
		return v1alpha1.ReasonPowerManagementError, fmt.Sprintf("The host %s has a %s: %s", name, status.ErrorType, mask.Text(status.ErrorMessage))
	}
	if c := meta.FindStatusCondition(status.Conditions, metal3v1.ManageableCondition); c != nil && c.Status == metav1.ConditionFalse {
		return v1alpha1.ReasonPowerManagementError, fmt.Sprintf("The host %s cannot be managed: %s", name, mask.Text(c.Message))
	}
	return "", ""
}

// Consumer is who may use a host: a Machine, or the infrastructure machine of one.
type Consumer struct {
	Group, Kind, Namespace, Name string
}

// uses reports whether host says that it is used by c.
func (c Consumer) uses(host *metal3v1.BareMetalHost) bool {
	ref := host.Spec.ConsumerRef
	return ref != nil && ref.Name == c.Name && ref.Kind == c.Kind && strings.HasPrefix(ref.APIVersion, c.Group+"/") &&
		(ref.Namespace == "" || ref.Namespace == c.Namespace)
}
