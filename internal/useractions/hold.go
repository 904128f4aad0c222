package useractions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/preview"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// The kinds that can be on hold, as people call them.
const (
	Machine     = "machine"
	HealthCheck = "mhc"
	Cluster     = "cluster"
)

// holdKinds are the API kinds that can be on hold.
var holdKinds = map[string]string{Machine: "Machine", HealthCheck: "MachineHealthCheck", Cluster: "Cluster"}

// HoldKind returns the API kind for a name; false if it cannot be on hold.
func HoldKind(kind string) (string, bool) {
	name, ok := holdKinds[kind]
	return name, ok
}

// Target is what is put on hold or released.
type Target struct {
	// Kind is Machine, HealthCheck or Cluster.
	Kind      string
	Namespace string
	Name      string
}

func (t Target) String() string { return t.Kind + "/" + t.Name }

// LastYear is the last year that an annotation can express, in UTC. A later hold could not be parsed, and would never end.
const LastYear = 9999

// HoldUntil returns when a hold of the given span ends.
func HoldUntil(now time.Time, span time.Duration) time.Time {
	// The API server's clock may be slightly behind: rounding up to a full second keeps the hold from ending too early.
	return now.Add(span).Add(time.Second - 1).Truncate(time.Second).UTC()
}

// Hold returns the change that a hold would make.
func (p *Person) Hold(ctx context.Context, t Target, until time.Time, reason string) (*Change, error) {
	if err := CheckReason(reason); err != nil {
		return nil, err
	}
	asked := preview.Hold{Until: until, Reason: reason, By: p.Name}
	return p.changeHold(ctx, t, func(on preview.Target) preview.HoldProposal {
		return preview.ProposeHold(on, asked, p.Clock.Now())
	})
}

// Release returns the change that the end of a hold would make.
func (p *Person) Release(ctx context.Context, t Target) (*Change, error) {
	return p.changeHold(ctx, t, func(on preview.Target) preview.HoldProposal {
		return preview.ProposeRelease(on, p.Clock.Now())
	})
}

func (p *Person) changeHold(ctx context.Context, t Target, propose func(preview.Target) preview.HoldProposal) (*Change, error) {
	object, err := p.readMetadata(ctx, t)
	if err != nil {
		return nil, err
	}
	on := preview.Target{Name: t.String(), Object: object}
	if on.Open, on.OpenUnread, err = p.openRecords(ctx, t); err != nil {
		return nil, err
	}
	proposal := propose(on)
	return &Change{
		Name: t.String(), Already: proposal.Already, Title: proposal.Title, Lines: proposal.Lines, Shown: object, seen: stamp(object),
		write: func(ctx context.Context, dryRun bool) (client.Object, error) {
			return p.writeHold(ctx, t, object, proposal.Annotations, dryRun)
		},
	}, nil
}

// openRecords lists the open records of machines that the target covers. It returns unread if the person may not read them.
func (p *Person) openRecords(ctx context.Context, t Target) (open []v1alpha1.MachineRemediation, unread bool, err error) {
	var list v1alpha1.MachineRemediationList
	err = p.Client.List(ctx, &list, client.InNamespace(t.Namespace), client.HasLabels{v1alpha1.OpenLabel})
	switch {
	case apierrors.IsForbidden(err):
		return nil, true, nil
	case meta.IsNoMatchError(err):
		// Without Sickbay's kinds, nothing is repaired.
		return nil, false, nil
	}
	return slices.DeleteFunc(list.Items, func(r v1alpha1.MachineRemediation) bool { return !t.concerns(&r) }), false, err
}

// concerns reports whether a record is open for a machine that the target covers.
func (t Target) concerns(r *v1alpha1.MachineRemediation) bool {
	if r.Status.CompletionTime != nil {
		return false
	}
	switch t.Kind {
	case Machine:
		return r.Spec.MachineRef.Name == t.Name
	case HealthCheck:
		return r.Spec.HealthCheckRef.Name == t.Name
	}
	return r.Spec.ClusterName == t.Name
}

// readMetadata reads the metadata of the target, which is all that a hold needs.
func (p *Person) readMetadata(ctx context.Context, t Target) (*metav1.PartialObjectMetadata, error) {
	object := scaffold.MetadataOf(clusterv1.GroupVersion.WithKind(holdKinds[t.Kind]))
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: t.Namespace, Name: t.Name}, object)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("there is no %s in namespace %s", t, t.Namespace)
	}
	return object, err
}

// maxWrites is how often to retry writing a hold on an object that others write to all the time.
const maxWrites = 10

// writeHold writes the annotations on the object that was shown, unless somebody has changed its hold since. Other changes
// do not matter.
func (p *Person) writeHold(ctx context.Context, t Target, shown *metav1.PartialObjectMetadata, values map[string]*string, dryRun bool) (client.Object, error) {
	latest := shown
	for range maxWrites {
		written, err := p.patchHold(ctx, latest, values, dryRun)
		if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
			return written, err
		}
		if latest, err = p.readMetadata(ctx, t); err != nil {
			return nil, err
		}
		if stamp(latest) != stamp(shown) {
			return nil, fmt.Errorf("%s has changed since it was shown, so nothing was written: try again", t)
		}
	}
	return nil, fmt.Errorf("%s keeps changing, so nothing was written: try again", t)
}

// stamp identifies an object and the hold on it.
func stamp(object *metav1.PartialObjectMetadata) string {
	hold := []any{object.UID}
	for _, key := range []string{mhcspec.HoldUntilAnnotation, mhcspec.HoldReasonAnnotation} {
		value, there := object.Annotations[key]
		hold = append(hold, there, value)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", hold))
	return hex.EncodeToString(sum[:])
}

func (p *Person) patchHold(ctx context.Context, object *metav1.PartialObjectMetadata, values map[string]*string, dryRun bool) (*metav1.PartialObjectMetadata, error) {
	written := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name}}
	written.SetGroupVersionKind(object.GroupVersionKind())
	return written, p.Client.Patch(ctx, written, ownwrites.Annotations(object, values), p.patchOptions(dryRun)...)
}
