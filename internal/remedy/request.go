package remedy

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Request is the object that an attempt makes: one made from a template, or a RebootRemediation.
type Request struct {
	Record  *v1alpha1.MachineRemediation
	Attempt v1alpha1.RemediationAttempt
	Step    v1alpha1.RemediationStep
}

// Kind returns the kind of the object.
func (r Request) Kind() schema.GroupVersionKind {
	if r.Step.Action == v1alpha1.ActionReboot {
		return v1alpha1.GroupVersion.WithKind("RebootRemediation")
	}
	ref := r.Step.TemplateRef
	return requestKind(schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind))
}

// RequestKind returns the kind of the requests made from a template: the template's kind without the suffix Template.
func RequestKind(template clusterv1.MachineHealthCheckRemediationTemplateReference) schema.GroupVersionKind {
	return requestKind(template.GroupVersionKind())
}

func requestKind(template schema.GroupVersionKind) schema.GroupVersionKind {
	template.Kind = strings.TrimSuffix(template.Kind, clusterv1.TemplateSuffix)
	return template
}

// Name returns the name of the object. By Cluster API's contract, a request that is done when the machine is healthy has
// the name of the Machine. An object with a name of its own can exist beside those of other attempts.
func (r Request) Name() string {
	if r.ofMachine() {
		return r.Record.Spec.MachineRef.Name
	}
	return fmt.Sprintf("%s-%d", r.Record.Name, r.Attempt.Number)
}

func (r Request) ofMachine() bool {
	return r.Step.Action == v1alpha1.ActionRequest && r.Step.DoneWhen != v1alpha1.DoneWhenRequestSucceeded
}

// owner returns the owner of the object, with which it is deleted: the Machine, or the record if the object has to outlive
// the Machine.
func (r Request) owner() metav1.OwnerReference {
	if r.ofMachine() {
		machine := r.Record.Spec.MachineRef
		return metav1.OwnerReference{APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID}
	}
	return metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediation", Name: r.Record.Name, UID: r.Record.UID,
	}
}

// MakeRequest creates the request of an attempt from the template of its step. It does not overwrite an existing object of
// that name: the next read shows whose it is. It returns the UID of the request.
func MakeRequest(ctx context.Context, c client.Client, live client.Reader, request Request) (types.UID, error) {
	ref, namespace := request.Step.TemplateRef, request.Record.Namespace
	template := &unstructured.Unstructured{}
	template.SetAPIVersion(ref.APIVersion)
	template.SetKind(ref.Kind)
	if err := live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: ref.Name}, template); err != nil {
		return "", fmt.Errorf("getting remediation template %s %s: %w", ref.Kind, ref.Name, err)
	}
	healthCheckRef := clusterv1.MachineHealthCheckRemediationTemplateReference{APIVersion: ref.APIVersion, Kind: ref.Kind, Name: ref.Name}
	owner := request.owner()
	made, err := external.GenerateTemplate(&external.GenerateTemplateInput{
		Template: template, TemplateRef: healthCheckRef.ToObjectReference(namespace), Namespace: namespace,
		Name: request.Name(), ClusterName: request.Record.Spec.ClusterName, OwnerRef: &owner,
		Annotations: map[string]string{v1alpha1.OperationAnnotation: request.Attempt.OperationID},
	})
	if err != nil {
		return "", fmt.Errorf("making a request from template %s %s: %w", ref.Kind, ref.Name, err)
	}
	made.SetGroupVersionKind(request.Kind())
	if err := c.Create(ctx, made, client.FieldOwner(FieldOwner)); err != nil {
		return "", fmt.Errorf("creating %s %s: %w", made.GetKind(), client.ObjectKeyFromObject(made), err)
	}
	return made.GetUID(), nil
}

// WithdrawRequest deletes the object that an attempt has made, and no later one of the same name. It reports whether it was gone already. A conflict may
// mean that another object has the name, and may not: the next read tells.
func WithdrawRequest(ctx context.Context, c client.Client, namespace string, ref v1alpha1.RemediationObjectReference) (gone bool, err error) {
	u := &unstructured.Unstructured{}
	u.SetAPIVersion(ref.APIVersion)
	u.SetKind(ref.Kind)
	u.SetNamespace(namespace)
	u.SetName(ref.Name)
	err = c.Delete(ctx, u, client.Preconditions{UID: &ref.UID})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("deleting %s %s: %w", ref.Kind, ref.Name, err)
	}
	return false, nil
}
