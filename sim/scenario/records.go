package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// record waits for a state of a MachineRemediation of a machine, and tells it.
func (s *Stage) record(ctx context.Context, machine *clusterv1.Machine, what string, matches func(*v1alpha1.MachineRemediation) bool) *v1alpha1.MachineRemediation {
	entry := mustGet(s.Journal.Record(ctx, machine.UID, fmt.Sprintf("%s of machine %s", what, machine.Name), matches))
	record := entry.Object.(*v1alpha1.MachineRemediation)
	s.sayRecord(entry.At, record)
	return record
}

// sayRecord tells the phase and step of a record, and its message about what comes next.
func (s *Stage) sayRecord(at time.Time, record *v1alpha1.MachineRemediation) {
	text := fmt.Sprintf("MachineRemediation %s: %s", record.Name, record.Status.Phase)
	if ended := journal.Success(record); record.Status.CompletionTime != nil {
		s.say(Records, at, "%s, %s%s", text, ended.Reason, quoted(ended.Message))
		return
	}
	if record.Status.Step != "" {
		text += ", step " + record.Status.Step
	}
	progress := journal.Progress(record)
	s.say(Records, at, "%s, %s%s", text, progress.Reason, quoted(progress.Message))
}

// trying matches records whose current attempt tries a step.
func trying(step string) func(*v1alpha1.MachineRemediation) bool {
	return func(record *v1alpha1.MachineRemediation) bool {
		last := lastAttempt(record)
		return last.Step == step && last.EndTime == nil && record.Status.Phase == v1alpha1.RemediationActing
	}
}

// failedAt matches records whose last attempt tried a step and failed.
func failedAt(step string) func(*v1alpha1.MachineRemediation) bool {
	return func(record *v1alpha1.MachineRemediation) bool {
		last := lastAttempt(record)
		return last.Step == step && (last.Result == v1alpha1.ResultFailed || last.Result == v1alpha1.ResultTimedOut)
	}
}

// lastAttempt returns the last attempt; empty if there is none.
func lastAttempt(record *v1alpha1.MachineRemediation) v1alpha1.RemediationAttempt {
	if n := len(record.Status.Attempts); n > 0 {
		return record.Status.Attempts[n-1]
	}
	return v1alpha1.RemediationAttempt{}
}

// attempts returns the steps that a record has tried, with their results, without those that were aborted.
func attempts(record *v1alpha1.MachineRemediation) string {
	var all []string
	for _, attempt := range record.Status.Attempts {
		if attempt.Result != v1alpha1.ResultAborted {
			all = append(all, fmt.Sprintf("%s: %s", attempt.Step, attempt.Result))
		}
	}
	return strings.Join(all, ", ")
}

// ended waits until the latest record of a machine ends for a reason.
func (s *Stage) ended(ctx context.Context, machine *clusterv1.Machine, reason string) *v1alpha1.MachineRemediation {
	return s.record(ctx, machine, "the end of the remediation, "+reason+",", journal.EndedAs(reason))
}

// endedAfter is ended, and checks what the record has tried.
func (s *Stage) endedAfter(ctx context.Context, machine *clusterv1.Machine, reason, tried string) {
	record := s.ended(ctx, machine, reason)
	if got := attempts(record); got != tried {
		failf("MachineRemediation %s has tried something else: %s", record.Name, got)
	}
}

// event waits for an event about a machine, and tells it.
func (s *Stage) event(ctx context.Context, machine *clusterv1.Machine, reason string) {
	what := fmt.Sprintf("the event %s about machine %s", reason, machine.Name)
	entry := mustGet(s.Journal.Event(ctx, what, func(e *eventsv1.Event) bool { return e.Reason == reason && e.Regarding.UID == machine.UID }))
	s.say(Records, entry.At, "event about machine %s: %s%s", machine.Name, reason, quoted(entry.Object.(*eventsv1.Event).Note))
}

// person is the name of the person who decides in the stories.
const person = "robin"

// decide stores a person's decision about the current attempt of a record.
func (s *Stage) decide(ctx context.Context, record *v1alpha1.MachineRemediation, decision v1alpha1.RemediationDecision) {
	decision.Attempt, decision.By = record.Status.Attempt, person
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"decision": decision}})
	mustDo(err, "encoding a decision")
	at := time.Now()
	err = s.World.Client().Patch(ctx, record, client.RawPatch(types.MergePatchType, patch))
	mustDo(err, "deciding about MachineRemediation %s", record.Name)
	s.say(Decides, at, "%s answers %s for attempt %d of MachineRemediation %s: %q", person, decision.Answer, decision.Attempt, record.Name, decision.Reason)
}
