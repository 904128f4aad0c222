package useractions

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
)

// Answer returns the change that an answer about a record would make, in the person's name. It returns an error if nothing would
// change.
func (p *Person) Answer(ctx context.Context, record *v1alpha1.MachineRemediation, asked preview.Asked) (*Change, error) {
	if err := CheckReason(asked.Reason); err != nil {
		return nil, err
	}
	seen, err := remediation.LookLive(ctx, p.Client, p.Policy, p.Clock, record)
	if err != nil {
		return nil, err
	}
	view := preview.View{Facts: seen.Facts, MachineUnread: seen.MachineUnread, Unread: seen.Unread}
	asked.By, asked.Command = fit(p.Name, maxBy), p.Command
	proposal, err := preview.Propose(view, asked, p.Clock.Now())
	if err != nil {
		return nil, err
	}
	return &Change{
		Name: "mr/" + record.Name, Already: proposal.Already, Title: proposal.Title, Lines: proposal.Lines, Shown: record,
		Step: proposal.Decision.Step, seen: string(record.UID) + "/" + record.ResourceVersion,
		write: func(ctx context.Context, dryRun bool) (client.Object, error) {
			return p.writeAnswer(ctx, record, proposal.Decision, dryRun)
		},
	}, nil
}

// writeAnswer stores the decision, if the record has not changed since it was shown. It replaces an
// earlier decision completely.
func (p *Person) writeAnswer(ctx context.Context, shown *v1alpha1.MachineRemediation, decided v1alpha1.RemediationDecision, dryRun bool) (client.Object, error) {
	patch := ownwrites.MergePatch{Of: shown, Spec: map[string]any{"decision": map[string]any{
		"attempt": decided.Attempt, "answer": decided.Answer,
		"step": orNull(decided.Step), "by": orNull(decided.By), "reason": orNull(decided.Reason),
	}}}
	written := &v1alpha1.MachineRemediation{}
	written.Namespace, written.Name = shown.Namespace, shown.Name
	err := p.Client.Patch(ctx, written, patch, p.patchOptions(dryRun)...)
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("mr/%s is gone, so nothing was written", shown.Name)
	case !apierrors.IsConflict(err):
		return written, Explained(err)
	}
	latest := &v1alpha1.MachineRemediation{}
	if err := p.Client.Get(ctx, client.ObjectKeyFromObject(shown), latest); err != nil || latest.UID != shown.UID {
		return nil, fmt.Errorf("mr/%s has changed since it was shown, so nothing was written", shown.Name)
	}
	return nil, fmt.Errorf("mr/%s has changed since it was shown, so nothing was written: at attempt %d, %s", shown.Name, max(1, latest.Status.Attempt), preview.Is(latest))
}

// orNull returns nil for an empty value, which removes the field.
func orNull(value string) any {
	if value == "" {
		return nil
	}
	return value
}
