package ladder

import (
	"slices"
	"testing"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/health"
)

// TestKStatus: who waits for a record waits until it has ended, whatever it says meanwhile, and sees why.
func TestKStatus(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range slices.Concat(allRows(), rowsAskedFor(), situations()) {
		d := (&look{TB: t, f: row.facts, now: noon}).decide()
		record := row.facts.Record.DeepCopy()
		record.Status = d.Status
		if !d.Store || record.DeletionTimestamp != nil {
			// The status that the row begins with says less than a stored one, and what is deleted is terminating.
			continue
		}
		want := "InProgress " + Progress(&d.Status).Reason
		if d.Status.CompletionTime != nil {
			want = "Current"
		}
		if got := health.KStatus(t, record); got != want {
			t.Errorf("%s: kstatus answers %q, want %q", row.name, got, want)
		}
		seen[want] = true
	}
	for _, reason := range []string{v1alpha1.ReasonNoStepLeft, v1alpha1.ReasonApprovalRequired, v1alpha1.ReasonPaused, v1alpha1.ReasonDeletionOverdue} {
		if !seen["InProgress "+reason] {
			t.Errorf("no row says %s", reason)
		}
	}
}

// TestKStatusOfALateDecision: a person's decision that arrives after the end changes nothing, so nobody waits for an answer to it.
func TestKStatusOfALateDecision(t *testing.T) {
	f := with(plan(replace()), works("replace", 0), completed)
	f.Record.Labels, f.Record.Finalizers, f.Record.Generation = nil, nil, 2
	f, _ = decideAll(f, noon)
	if got := health.KStatus(t, f.Record); got != "Current" {
		t.Errorf("kstatus answers %q", got)
	}
}
