package remedy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/controllers/external"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// request creates a remediation request from the template of the
// MachineHealthCheck, for a controller outside of Cluster API.
type request struct {
	client client.Client
	live   client.Reader
}

// RequestKind is the kind of the requests made from a template: its own, less the
// word Template.
func RequestKind(template clusterv1.MachineHealthCheckRemediationTemplateReference) schema.GroupVersionKind {
	gvk := template.GroupVersionKind()
	gvk.Kind = strings.TrimSuffix(gvk.Kind, clusterv1.TemplateSuffix)
	return gvk
}

func (r request) Apply(ctx context.Context, patient Patient) (string, error) {
	machine, ref := patient.Machine, patient.MachineHealthCheck.Spec.Remediation.TemplateRef
	template := &unstructured.Unstructured{}
	template.SetGroupVersionKind(ref.GroupVersionKind())
	if err := r.live.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, template); err != nil {
		return "", fmt.Errorf("getting remediation template %s %s: %w", ref.Kind, ref.Name, err)
	}
	made, err := external.GenerateTemplate(&external.GenerateTemplateInput{
		Template:    template,
		TemplateRef: ref.ToObjectReference(machine.Namespace),
		Namespace:   machine.Namespace,
		Name:        machine.Name,
		ClusterName: machine.Spec.ClusterName,
		OwnerRef: &metav1.OwnerReference{
			APIVersion: clusterv1.GroupVersion.String(), Kind: "Machine", Name: machine.Name, UID: machine.UID,
		},
	})
	if err != nil {
		return "", fmt.Errorf("making a request from template %s %s: %w", ref.Kind, ref.Name, err)
	}
	made.SetGroupVersionKind(RequestKind(ref))
	// The name of the Machine makes the request unique, and this safe to repeat.
	err = r.client.Create(ctx, made)
	if apierrors.IsAlreadyExists(err) {
		err = r.checkOurs(ctx, made, machine)
	}
	if err != nil {
		return "", fmt.Errorf("creating %s %s: %w", made.GetKind(), client.ObjectKeyFromObject(made), err)
	}
	return fmt.Sprintf("requested by %s %s", made.GetKind(), made.GetName()), nil
}

// checkOurs tells a request that we made before a crash from one that is left over
// from another Machine of that name.
func (r request) checkOurs(ctx context.Context, made *unstructured.Unstructured, machine *clusterv1.Machine) error {
	standing := &metav1.PartialObjectMetadata{}
	standing.SetGroupVersionKind(made.GroupVersionKind())
	if err := r.live.Get(ctx, client.ObjectKeyFromObject(made), standing); err != nil {
		return err
	}
	if !isFor(standing, machine) {
		return errors.New("one of that name exists already and belongs to another object")
	}
	return nil
}

// isFor reports whether a request was made for machine.
func isFor(request *metav1.PartialObjectMetadata, machine *clusterv1.Machine) bool {
	return slices.ContainsFunc(request.OwnerReferences, func(ref metav1.OwnerReference) bool { return ref.UID == machine.UID })
}
