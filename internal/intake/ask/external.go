package ask

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// externalAttempts is how often a host is cycled for OpenShift's health check.
const externalAttempts = 2

// AsksExternally reports whether OpenShift's health check asks for a power cycle, and Sickbay carries that out.
func (m Machine) AsksExternally() bool {
	_, ok := m.Annotations[External]
	return ok && m.External
}

// aboutExternal makes a record of what OpenShift's health check asks for by an annotation. The note on the Machine names the record; so an
// annotation that comes back after the machine was healthy is a new question.
func (f Facts) aboutExternal(now time.Time) Decision {
	m, noted, open := f.Machine, f.noted(), f.openFor(v1alpha1.AskedByHealthCheck, External)
	again, end := now.Add(lookAgain), endOf(noted)
	switch {
	case !m.External:
		return Decision{}
	case !m.AsksExternally():
		return f.note("", time.Time{})
	case open != nil:
		return f.note(atWork(open), again)
	case noted == nil && m.Provider != "":
		// The annotation is the provider's, even if the machine is healthy for a moment.
		return f.unsolved(m.Provider, again)
	case m.Healthy:
		return Decision{Act: Settle}
	case end.Reason == v1alpha1.ReasonSuperseded && f.open():
		// It is asked for anew after that.
		return f.note(notePrefix+noted.Name+": made room: "+end.Message, again)
	case noted != nil && end.Status != metav1.ConditionTrue && !interrupted(noted):
		return f.unsolved(inVain(noted), again)
	}
	return f.makeExternally(again)
}

// makeExternally makes a record, or says why not.
func (f Facts) makeExternally(again time.Time) Decision {
	if f.Forbidden != "" {
		return f.unsolved(f.forbidden(), again)
	}
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByHealthCheck, Name: External}
	return Decision{Act: Make, Spec: f.Machine.spec(by, f.Machine.reboot(externalAttempts, rebootTime))}
}

// endOf says how a record ended; empty if there is none.
func endOf(r *v1alpha1.MachineRemediation) metav1.Condition {
	if r == nil {
		return metav1.Condition{}
	}
	return ladder.Success(&r.Status)
}

const notePrefix = "MachineRemediation "

func atWork(r *v1alpha1.MachineRemediation) string {
	return notePrefix + r.Name + ": has the host power-cycled"
}

// inVain says why a machine is still sick, and what a person can do.
func inVain(r *v1alpha1.MachineRemediation) string {
	why := ladder.Success(&r.Status).Message
	return notePrefix + r.Name + ": power-cycling the host did not help: " + why + ". Nothing more is done: repair or delete the machine, or delete the " +
		"MachineRemediation to have its host cycled again"
}

// noted returns the record that the note on the Machine names; nil if there is none.
func (f Facts) noted() *v1alpha1.MachineRemediation {
	rest, ours := strings.CutPrefix(f.Machine.Annotations[rebootannotation.Outcome], notePrefix)
	name, _, _ := strings.Cut(rest, ":")
	if !ours {
		return nil
	}
	return f.latest(func(r *v1alpha1.MachineRemediation) bool { return r.Name == name })
}

func (f Facts) unsolved(message string, again time.Time) Decision {
	d := f.note(message, again)
	d.Unsolved = true
	return d
}

// note notes a message on the Machine, unless it is there already.
func (f Facts) note(message string, again time.Time) Decision {
	if f.Machine.Annotations[rebootannotation.Outcome] == message {
		return Decision{RecheckAt: again}
	}
	return Decision{Act: Note, Message: message, RecheckAt: again}
}
