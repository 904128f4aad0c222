package preview

import (
	"fmt"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Line is one line of the preview before a write.
type Line struct{ Label, Text string }

// LabelNow is the label of the line with the current state of a record.
const LabelNow = "Now"

// span formats a duration, to the second.
func span(d time.Duration) string { return humanize.Span(d.Round(time.Second)) }

// name returns the name of a record as the commands accept it.
func name(r *v1alpha1.MachineRemediation) string { return "mr/" + r.Name }

func owner(f ladder.Facts) string {
	if o := f.Machine.Owner; o != nil {
		return o.Kind + " " + o.Name
	}
	return "its owner"
}

// act describes what an act does to the machine.
func act(v View, d ladder.Decision) string {
	switch d.Act {
	case ladder.MarkForOwner:
		return owner(v.Facts) + " is asked to replace the machine: the machine is deleted, with all that is on its disks, and another is made"
	case ladder.DeleteMachine:
		if v.MachineUnread {
			return "the machine is deleted, with all that is on its disks; the controller that owns it, if one does, makes another"
		}
		if v.Machine.Owner != nil {
			return "Sickbay deletes the machine, with all that is on its disks; " + owner(v.Facts) + " makes another"
		}
		return "Sickbay deletes the machine, with all that is on its disks; no controller owns it, so nothing replaces it"
	case ladder.CreateReboot:
		return "its host is power-cycled: off, proven off, on. What runs there ends; the disks stay as they are"
	case ladder.CreateRequest:
		return request(d.Step)
	default:
		return string(d.Act)
	}
}

// request says who handles the request that a step makes.
func request(step v1alpha1.RemediationStep) string {
	ref := step.TemplateRef
	if ref == nil {
		return "makes a request"
	}
	text := fmt.Sprintf("makes a %s from %s %s", strings.TrimSuffix(ref.Kind, "Template"), ref.Kind, ref.Name)
	if step.DoneWhen == v1alpha1.DoneWhenRequestSucceeded {
		return text + ", and goes on once that has succeeded"
	}
	return text + ", whose controller repairs the machine"
}

// person names the person of a decision.
func person(d *v1alpha1.RemediationDecision) string {
	if d == nil || d.By == "" {
		return "somebody"
	}
	return d.By
}
