package preview

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Target is an object to put on hold or release.
type Target struct {
	// Name is how the person refers to it: machine/metal-3.
	Name   string
	Object metav1.Object
	// Open are the open records of its machines.
	Open []v1alpha1.MachineRemediation
	// OpenUnread reports whether the person may not read them.
	OpenUnread bool
}

// Hold is the hold that a person asks for.
type Hold struct {
	Until      time.Time
	Reason, By string
}

// HoldProposal is what to write, and its effects.
type HoldProposal struct {
	// Annotations are the annotations to write; nil removes one.
	Annotations map[string]*string
	// Already says why there is nothing to write; empty otherwise.
	Already string
	Title   string
	Lines   []Line
}

// held is an existing hold.
type held struct {
	until  time.Time
	reason string
	// unreadable reports whether the time is invalid. Such a hold lasts until somebody corrects it.
	unreadable bool
	raw        string
}

func holdOn(object metav1.Object) (held, bool) {
	value, ok := object.GetAnnotations()[mhcspec.HoldUntilAnnotation]
	if !ok {
		return held{}, false
	}
	until, err := time.Parse(time.RFC3339, value)
	return held{until: until, reason: object.GetAnnotations()[mhcspec.HoldReasonAnnotation], unreadable: err != nil, raw: value}, true
}

// active reports whether the hold is in effect.
func (h held) active(now time.Time) bool { return h.unreadable || now.Before(h.until) }

func (h held) String() string {
	text := "until " + humanize.Time(h.until)
	if h.unreadable {
		text = fmt.Sprintf("until somebody corrects its time, which is %q", h.raw)
	}
	if h.reason != "" {
		text += ": " + h.reason
	}
	return text
}

// ProposeHold proposes a hold and says what it does. It never shortens one.
func ProposeHold(t Target, asked Hold, now time.Time) HoldProposal {
	there, ok := holdOn(t.Object)
	reason := holdReason(there, asked, now)
	if ok && !there.unreadable && (there.until.After(asked.Until) || (there.until.Equal(asked.Until) && there.reason == reason)) {
		return HoldProposal{Already: t.Name + " is on hold already " + there.String() + ". To end that sooner, release it first"}
	}
	p := HoldProposal{
		Annotations: map[string]*string{
			mhcspec.HoldUntilAnnotation: new(humanize.Time(asked.Until)), mhcspec.HoldReasonAnnotation: nil,
		},
		Title: fmt.Sprintf("Hold %s until %s (%s)", t.Name, humanize.Time(asked.Until), humanize.Span(asked.Until.Sub(now).Truncate(time.Second))),
	}
	if ok {
		p.Lines = append(p.Lines, Line{"Instead of", "a hold " + there.String()})
	}
	p.Lines = append(p.Lines, Line{"Does", "Nothing new begins, what nobody has begun is withdrawn, and a running power cycle of a repair is given up. Verdicts are still given"})
	p.Lines = append(p.Lines, t.repairs(func(r *v1alpha1.MachineRemediation) string {
		return underHold(r, asked.Until, now)
	})...)
	p.Lines = append(p.Lines, Line{"Then", "The hold ends by itself at that time, and repairs go on"})
	if reason != "" {
		p.Annotations[mhcspec.HoldReasonAnnotation] = &reason
		p.Lines = append(p.Lines, Line{"Reason", reason})
	}
	return p
}

// ProposeRelease proposes to end a hold and says what that does.
func ProposeRelease(t Target, now time.Time) HoldProposal {
	there, ok := holdOn(t.Object)
	if !ok {
		return HoldProposal{Already: t.Name + " is not on hold" + t.keptOff()}
	}
	p := HoldProposal{
		Annotations: map[string]*string{mhcspec.HoldUntilAnnotation: nil, mhcspec.HoldReasonAnnotation: nil},
		Title:       "Release " + t.Name,
		Lines:       []Line{{"On hold", there.String()}},
	}
	does := "Repairs go on, unless another hold, a pause or the gate stands in the way"
	if !there.active(now) {
		does = "Nothing: the hold is over. Its annotations go"
	}
	p.Lines = append(p.Lines, Line{"Does", does})
	p.Lines = append(p.Lines, t.repairs(Is)...)
	return p
}

// keptOff says that a person keeps a host off, which no release ends; empty if nobody does.
func (t Target) keptOff() string {
	for i := range t.Open {
		if r := &t.Open[i]; ladder.SingleSteps(r) {
			return fmt.Sprintf(". %s keeps the host of %s off. To switch it on: %s", name(r), r.Spec.MachineRef.Name, PowerOn(r))
		}
	}
	return ""
}

// PowerOn returns the command by which a person has a host switched on that a record keeps off.
func PowerOn(r *v1alpha1.MachineRemediation) string {
	of := r.Spec.MachineRef
	return fmt.Sprintf("kubectl annotate machine.%s %s -n %s reboot.metal3.io/PowerOn=", of.APIGroup, of.Name, r.Namespace)
}

// signed matches the end of a reason that says who set the hold.
var signed = regexp.MustCompile(`(?: \(by [^()]*\)|^by [^()]*)$`)

// holdReason returns the reason to store, with who set the hold. An extended hold keeps its reason.
func holdReason(there held, asked Hold, now time.Time) string {
	reason := asked.Reason
	if reason == "" && there.active(now) {
		reason = signed.ReplaceAllString(there.reason, "")
	}
	switch {
	case asked.By == "":
		return reason
	case reason == "":
		return "by " + asked.By + ", no reason given"
	}
	return reason + " (by " + asked.By + ")"
}

// maxOpen is how many open repairs are listed.
const maxOpen = 5

// repairs lists the open repairs, at most maxOpen, with a remark about each.
func (t Target) repairs(say func(*v1alpha1.MachineRemediation) string) []Line {
	var all []Line
	for i := range t.Open[:min(maxOpen, len(t.Open))] {
		all = append(all, Line{"Open", t.Open[i].Spec.MachineRef.Name + ": " + say(&t.Open[i])})
	}
	if more := len(t.Open) - len(all); more > 0 {
		all = append(all, Line{"Open", fmt.Sprintf("and %d more", more)})
	}
	if t.OpenUnread {
		all = append(all, Line{"Not seen", "you may not read MachineRemediations, so open repairs are not named"})
	}
	return all
}

// underHold says what happens to an open repair under a hold, according to the ladder.
func underHold(r *v1alpha1.MachineRemediation, until, now time.Time) string {
	facts := ladder.Alone(r)
	facts.Safety.OnHold, facts.Safety.HoldUntil = "It is on hold", until
	c := foresee(facts, now)
	attempt := ladder.AtWork(r)
	switch {
	case len(c.withdrawn) > 0:
		return "given up, and started again later: " + strings.Join(c.withdrawn, ", ")
	case attempt != nil && ladder.AtWork(&v1alpha1.MachineRemediation{Status: c.status}) != nil:
		return "step " + attempt.Step + " is left as it is, and its clock is stopped; what others have begun for it goes on"
	case c.status.Phase == v1alpha1.RemediationHeld:
		return "is left to a person, as it is"
	}
	return "waits"
}
