package e2e_test

import (
	"encoding/json"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
)

// watchFirst is a plan with everything that a record stores: an attempt that fails, one that a person must approve, and a
// probation.
var watchFirst = v1alpha1.RemediationPlan{
	ProbationSeconds: new(int32(1)),
	Steps: []v1alpha1.RemediationStep{
		{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(1))},
		{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(120)), Approval: v1alpha1.ApprovalRequired},
	},
}

// approved: the record asks a person once, who approves. Then the machine is replaced.
func approved(r *round, g *WithT) {
	r.Helper()
	asked, err := stand.Journal.Record(waitContext(r.T), r.sick.UID, "the wait for approval", journal.InPhase(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired))
	g.Expect(err).NotTo(HaveOccurred())
	record := asked.Object.(*v1alpha1.MachineRemediation)
	g.Expect(touched(r.sick)).To(BeFalse())
	decision := v1alpha1.RemediationDecision{Attempt: record.Status.Attempt, Answer: v1alpha1.AnswerApprove, By: "robin"}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"decision": decision}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(stand.World.Client().Patch(r.Context(), record.DeepCopy(), client.RawPatch(types.MergePatchType, patch))).To(Succeed())
	replaced(r, g)
	g.Eventually(func() []string { return tried(stand.Journal.Records(r.sick.UID)) }).Should(HaveExactElements("watch: TimedOut", "replace: Succeeded"))
}

// tried returns the steps that records have tried, with their results, without those that were aborted.
func tried(records []*v1alpha1.MachineRemediation) []string {
	var all []string
	for _, record := range records {
		for _, attempt := range record.Status.Attempts {
			if attempt.Result != v1alpha1.ResultAborted {
				all = append(all, attempt.Step+": "+string(attempt.Result))
			}
		}
	}
	return all
}
