package cycle

import (
	"maps"
	"strings"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

var conceptsUser = Consumer{Group: "infrastructure.cluster.x-k8s.io", Kind: "Metal3Machine", Name: "m1"}

// says gives a cycle the facts of a BareMetalHost, read as in production.
func says(edit ...func(*metal3v1.BareMetalHost)) change {
	return func(f *Facts) {
		host := &metal3v1.BareMetalHost{ObjectMeta: metav1.ObjectMeta{Name: "h1", UID: "h-1", Annotations: map[string]string{}}}
		host.Spec.Online = true
		host.Spec.ConsumerRef = &corev1.ObjectReference{APIVersion: conceptsUser.Group + "/v1beta1", Kind: conceptsUser.Kind, Name: conceptsUser.Name}
		host.Status.Provisioning.State = metal3v1.StateProvisioned
		host.Status.PoweredOn = f.Host.PoweredOn
		for key, there := range map[string]bool{KeyOf(f.UID): f.Host.Key, ProbeKey: f.Host.Probe} {
			if value, err := KeyValue(f.UID, f.Host.ProbedAt); there && err == nil {
				host.Annotations[key] = value
			}
		}
		for _, e := range edit {
			e(host)
		}
		f.Host = HostFactsOf(host, f.UID, conceptsUser)
	}
}

func annotated(key string) func(*metal3v1.BareMetalHost) {
	return func(h *metal3v1.BareMetalHost) { maps.Copy(h.Annotations, map[string]string{key: ""}) }
}

// TestConceptsHosts renders what Sickbay does about a host that is not as usual: before a cycle, while the host is to go off
// and says it is off, while the Node is taken out of service, and while the host is to come on.
func TestConceptsHosts(t *testing.T) {
	table := [][]string{{"the host", "`HostAvailable`", "in `Pending`", "it says that it is off, in `PoweringOff`", "in `Isolating`", "in `PoweringOn`"}}
	for _, c := range []struct {
		observed string
		is       change
	}{
		{"is as usual", says()},
		{"does not exist", func(f *Facts) { f.Host = HostFacts{Missing: "it is gone"} }},
		{"is used by somebody else (`spec.consumerRef`)", says(func(h *metal3v1.BareMetalHost) { h.Spec.ConsumerRef.Name = "other" })},
		{"is being deleted", says(func(h *metal3v1.BareMetalHost) { h.DeletionTimestamp = &noon })},
		{"may not be switched off (`spec.disablePowerOff`)", says(func(h *metal3v1.BareMetalHost) { h.Spec.DisablePowerOff = true })},
		{"is paused (`" + metal3v1.PausedAnnotation + "`)", says(annotated(metal3v1.PausedAnnotation))},
		{"is detached (`" + metal3v1.DetachedAnnotation + "`)", says(annotated(metal3v1.DetachedAnnotation))},
		{"is neither `provisioned` nor `externally provisioned`", says(func(h *metal3v1.BareMetalHost) { h.Status.Provisioning.State = metal3v1.StatePreparing })},
		{"is having its firmware updated (`status.operationalStatus: servicing`)", says(func(h *metal3v1.BareMetalHost) { h.Status.OperationalStatus = metal3v1.OperationalStatusServicing })},
		{"has an error (`status.errorType`)", says(func(h *metal3v1.BareMetalHost) { h.Status.ErrorType = metal3v1.PowerManagementError })},
		{"is not `Manageable`", says(func(h *metal3v1.BareMetalHost) {
			h.Status.Conditions = []metav1.Condition{{Type: metal3v1.ManageableCondition, Status: metav1.ConditionFalse}}
		})},
		{"is wanted off by a person (`spec.online: false`)", says(func(h *metal3v1.BareMetalHost) { h.Spec.Online = false })},
		{"is kept off by somebody else (`reboot.metal3.io/...`)", says(annotated("reboot.metal3.io/other"))},
	} {
		pending, proven := in(v1alpha1.Pending, c.is), in(v1alpha1.PoweringOff, keyed, keySeen, seenOn, off, c.is)
		isolating, comesOn := in(v1alpha1.Isolating, c.is), in(v1alpha1.PoweringOn, c.is)
		table = append(table, []string{
			c.observed, conceptsReason(pending, comesOn), conceptsDoes(pending), conceptsDoes(proven), conceptsDoes(isolating), conceptsDoes(comesOn),
		})
	}
	docs.Section(t, conceptsFile, "reboot hosts", docs.Table(table...))
}

// conceptsReason returns the reason of HostAvailable before a cycle, or if that is the usual one, while the host is to come
// on.
func conceptsReason(f ...Facts) string {
	for _, facts := range f {
		if reason := reasonOf(Decide(facts, noon.Time).Status, v1alpha1.ConditionHostAvailable); reason != v1alpha1.ReasonHostAvailable {
			return docs.Code(reason)
		}
	}
	return docs.Code(v1alpha1.ReasonHostAvailable)
}

// conceptsDoes says in words what Decide does.
func conceptsDoes(f Facts) string {
	if next := conceptsNext(f, noon.Time); next != "" {
		return next
	}
	f = conceptsRecorded(f)
	d := Decide(f, noon.Time)
	switch {
	case d.Action != Nothing:
		return conceptsActions[d.Action]
	case d.RecheckAt.IsZero():
		return "waits for as long as it takes"
	default:
		return "waits" + conceptsProof(f)
	}
}

// conceptsRecorded returns a cycle after all pending writes of its status.
func conceptsRecorded(f Facts) Facts {
	f.Spec.PowerOffTimeoutSeconds, f.Spec.PowerOnTimeoutSeconds = new(int32(1001)), new(int32(1002))
	return settled(f)
}

// conceptsProof says so if the proof that a host is off begins again.
func conceptsProof(f Facts) string {
	if f.Status.Phase == v1alpha1.PoweringOff && f.Host.Key && f.Status.KeySince == nil {
		return "; the proof starts over"
	}
	return ""
}

var conceptsActions = map[Action]string{
	SetKey: "sets the key, and the request", RemoveKey: "removes the key", DeleteNode: "deletes the Node", RestoreNode: "puts back what is missing",
}

// TestPasswordOfAHost: the error of a host may quote the address of its BMC with the password. More people may read RebootRemediations than hosts.
func TestPasswordOfAHost(t *testing.T) {
	message := `Get "https://admin:hunter2@192.0.2.1/redfish": no route to host`
	failing, unmanageable := &metal3v1.BareMetalHost{}, &metal3v1.BareMetalHost{}
	failing.Status.ErrorType, failing.Status.ErrorMessage = metal3v1.PowerManagementError, message
	meta.SetStatusCondition(&unmanageable.Status.Conditions, metav1.Condition{Type: metal3v1.ManageableCondition, Status: metav1.ConditionFalse, Message: message})
	for _, host := range []*metal3v1.BareMetalHost{failing, unmanageable} {
		host.Status.Provisioning.State = metal3v1.StateProvisioned
		got := HostFactsOf(host, "r-1", Consumer{}).Message
		if strings.Contains(got, "hunter2") || !strings.Contains(got, "https://admin:***@192.0.2.1/redfish") {
			t.Errorf("it says %s", got)
		}
	}
}

// TestLongHostError: the error of a host may be longer than a condition's message. Then the record can still be stored, so that the host is released when
// its time is up.
func TestLongHostError(t *testing.T) {
	f := in(v1alpha1.PoweringOff, keyed, off, obstacleIs(v1alpha1.ReasonPowerManagementError))
	f.Host.Message = strings.Repeat("redfish: unreachable ", 2000)
	for _, after := range []time.Duration{time.Minute, 24 * time.Hour} {
		for _, c := range Decide(f, noon.Add(after)).Status.Conditions {
			// The API server refuses longer ones.
			if len(c.Message) > 32768 {
				t.Errorf("%s later, %s has a message of %d bytes", after, c.Type, len(c.Message))
			}
		}
	}
}
