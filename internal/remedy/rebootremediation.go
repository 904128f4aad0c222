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
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// MakeReboot creates the RebootRemediation of an attempt. It makes only one cycle, and leaves the rest to the
// record. It returns the UID of the RebootRemediation.
func MakeReboot(ctx context.Context, c client.Client, live client.Reader, request Request) (types.UID, error) {
	record := request.Record
	made := &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: record.Namespace, Name: request.Name(),
			Labels:          labelsOf(record),
			Annotations:     map[string]string{v1alpha1.OperationAnnotation: request.Attempt.OperationID},
			OwnerReferences: []metav1.OwnerReference{request.owner()},
		},
	}
	settings, err := settingsFor(ctx, live, request)
	if err != nil {
		return "", err
	}
	if value, ok := record.Annotations[rebootannotation.AllowQuorumLoss]; ok {
		made.Annotations[rebootannotation.AllowQuorumLoss] = value
	}
	made.Spec.RebootSettings, made.Spec.RetryLimit = settings, new(int32)
	bound(&made.Spec.RebootSettings, request.Step)
	made.Spec.Until = request.Step.Until
	made.Spec.Machine = &v1alpha1.MachineReference{APIGroup: record.Spec.MachineRef.APIGroup, Name: record.Spec.MachineRef.Name}
	made.Spec.RequestedBy = &v1alpha1.RebootRequester{
		Kind: v1alpha1.RequestedByRecord, Name: record.Name, UID: record.UID, OperationID: request.Attempt.OperationID,
	}
	if err = c.Create(ctx, made, client.FieldOwner(FieldOwner)); err != nil {
		return "", fmt.Errorf("creating RebootRemediation %s: %w", client.ObjectKeyFromObject(made), err)
	}
	return made.UID, nil
}

// labelsOf returns the labels of what a record makes: whose manager looks after it, and its Cluster.
func labelsOf(record *v1alpha1.MachineRemediation) map[string]string {
	labels := map[string]string{}
	for _, key := range []string{clusterv1.ClusterNameLabel, clusterv1.WatchLabel} {
		if value := record.Labels[key]; value != "" {
			labels[key] = value
		}
	}
	return labels
}

// settingsFor reads how to cycle: as the request says by which somebody asked, or the template of the step.
func settingsFor(ctx context.Context, live client.Reader, request Request) (v1alpha1.RebootSettings, error) {
	record := request.Record
	if by := record.Spec.RequestedBy; by != nil && by.UID != "" {
		asked, err := scaffold.Find(ctx, live, client.ObjectKey{Namespace: record.Namespace, Name: by.Name}, &v1alpha1.RebootRemediation{})
		if err != nil || asked == nil || asked.UID != by.UID {
			return v1alpha1.RebootSettings{}, err
		}
		return asked.Spec.RebootSettings, nil
	}
	ref := request.Step.TemplateRef
	if ref == nil {
		return v1alpha1.RebootSettings{}, nil
	}
	template := &v1alpha1.RebootRemediationTemplate{}
	if err := live.Get(ctx, client.ObjectKey{Namespace: record.Namespace, Name: ref.Name}, template); err != nil {
		return v1alpha1.RebootSettings{}, fmt.Errorf("getting RebootRemediationTemplate %s: %w", ref.Name, err)
	}
	return template.Spec.Template.Spec, nil
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
