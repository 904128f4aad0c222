package remedy

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// MakeReboot creates the RebootRemediation of an attempt. It makes only one cycle, and leaves the rest to the
// record. It returns the UID of the RebootRemediation.
func MakeReboot(ctx context.Context, c client.Client, live client.Reader, request Request) (types.UID, error) {
	record := request.Record
	made := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: record.Namespace, Name: request.Name(),
			Labels:          map[string]string{clusterv1.ClusterNameLabel: record.Spec.ClusterName},
			Annotations:     map[string]string{v1alpha1.OperationAnnotation: request.Attempt.OperationID},
			OwnerReferences: []metav1.OwnerReference{request.owner()},
		},
	}
	if ref := request.Step.TemplateRef; ref != nil {
		template := &v1alpha1.RebootRemediationTemplate{}
		if err := live.Get(ctx, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name}, template); err != nil {
			return "", fmt.Errorf("getting RebootRemediationTemplate %s: %w", ref.Name, err)
		}
		made.Spec.RebootSettings = template.Spec.Template.Spec
	}
	bound(&made.Spec.RebootSettings, request.Step)
	made.Spec.RetryLimit = new(int32)
	made.Spec.Machine = &v1alpha1.MachineReference{APIGroup: record.Spec.MachineRef.APIGroup, Name: record.Spec.MachineRef.Name}
	made.Spec.RequestedBy = &v1alpha1.RebootRequester{
		Kind: v1alpha1.RequestedByRecord, Name: record.Name, UID: record.UID, OperationID: request.Attempt.OperationID,
	}
	if asked := record.Spec.RequestedBy; asked != nil {
		made.Spec.RequestedBy.Person = asked.Name
	}
	if err := c.Create(ctx, made, client.FieldOwner(FieldOwner)); err != nil {
		return "", fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(made), err)
	}
	return made.UID, nil
}

// bound limits each part of a cycle to the timeout of the step: a request that is withdrawn late delays the
// next step.
func bound(settings *v1alpha1.RebootSettings, step v1alpha1.RemediationStep) {
	most := step.Timeout()
	seconds := func(timeout time.Duration) *int32 { return new(int32(min(timeout, most) / time.Second)) }
	settings.PowerOffTimeoutSeconds = seconds(settings.PowerOffTimeout())
	settings.PowerOnTimeoutSeconds = seconds(settings.PowerOnTimeout())
	settings.NodeTimeoutSeconds = seconds(settings.NodeTimeout())
}
