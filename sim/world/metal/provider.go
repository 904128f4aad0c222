package metal

import (
	"context"
	"fmt"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

const (
	hostAnnotation    = "metal3.io/BareMetalHost"
	providerFinalizer = "metal3machine.infrastructure.cluster.x-k8s.io"
)

// provider stands in for Metal3's infrastructure provider: it gives each Metal3Machine a free host of its cluster, provisions the
// host, and takes it back when the machine is deleted.
type provider struct {
	client client.Client
}

func (p *provider) addTo(mgr ctrl.Manager) error {
	machine := &unstructured.Unstructured{}
	machine.SetGroupVersionKind(Machine)
	// One worker, so that no host is given away twice.
	err := ctrl.NewControllerManagedBy(mgr).Named("metal3machine").For(machine).
		Watches(&metal3v1.BareMetalHost{}, handler.EnqueueRequestsFromMapFunc(p.concerned)).
		Watches(&corev1.Node{}, handler.EnqueueRequestsFromMapFunc(p.joined)).Complete(p)
	if err != nil {
		return fmt.Errorf("adding the provider of bare-metal hosts: %w", err)
	}
	return nil
}

// concerned returns the machine that uses a host, or all machines if none does.
func (p *provider) concerned(ctx context.Context, host client.Object) []ctrl.Request {
	if user := host.(*metal3v1.BareMetalHost).Spec.ConsumerRef; user != nil {
		return []ctrl.Request{{NamespacedName: client.ObjectKey{Namespace: user.Namespace, Name: user.Name}}}
	}
	machines := &unstructured.UnstructuredList{}
	machines.SetGroupVersionKind(Machine)
	if err := p.client.List(ctx, machines, client.InNamespace(host.GetNamespace())); err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "Cannot list the machines that may wait for a host")
	}
	var requests []ctrl.Request
	for i := range machines.Items {
		requests = append(requests, ctrl.Request{NamespacedName: client.ObjectKeyFromObject(&machines.Items[i])})
	}
	return requests
}

// joined returns the machine whose host has registered a Node.
func (p *provider) joined(ctx context.Context, node client.Object) []ctrl.Request {
	namespace, name, _ := strings.Cut(strings.TrimPrefix(node.(*corev1.Node).Spec.ProviderID, providerPrefix), "/")
	host := &metal3v1.BareMetalHost{}
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, host); err != nil {
		return nil
	}
	return p.concerned(ctx, host)
}

// Reconcile implements reconcile.Reconciler.
func (p *provider) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	machine := &unstructured.Unstructured{}
	machine.SetGroupVersionKind(Machine)
	if err := p.client.Get(ctx, req.NamespacedName, machine); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	host, err := p.hostOf(ctx, machine)
	switch {
	case err != nil:
		return ctrl.Result{}, err
	case machine.GetDeletionTimestamp() != nil:
		return ctrl.Result{}, p.release(ctx, machine, host)
	case host == nil:
		// A host that becomes free triggers the next reconcile.
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, p.provision(ctx, machine, host)
}

// hostOf returns the host of a machine, or else a free host of its cluster; nil if there is none.
func (p *provider) hostOf(ctx context.Context, machine client.Object) (*metal3v1.BareMetalHost, error) {
	hosts := &metal3v1.BareMetalHostList{}
	if err := p.client.List(ctx, hosts, client.InNamespace(machine.GetNamespace()), clusterOf(machine)); err != nil {
		return nil, fmt.Errorf("listing hosts: %w", err)
	}
	var free *metal3v1.BareMetalHost
	for i := range hosts.Items {
		host := &hosts.Items[i]
		switch user := host.Spec.ConsumerRef; {
		case user != nil && user.Name == machine.GetName():
			return host, nil
		case user == nil && free == nil && !unhealthy(host) && host.Status.Provisioning.State == metal3v1.StateAvailable:
			free = host
		}
	}
	if machine.GetDeletionTimestamp() != nil {
		return nil, nil
	}
	return free, nil
}

// unhealthy reports whether a host has one of Metal3's annotations that exclude it.
func unhealthy(host *metal3v1.BareMetalHost) bool {
	_, older := host.Annotations["capi.metal3.io/unhealthy"]
	_, newer := host.Annotations["capm3.metal3.io/unhealthy"]
	return older || newer
}

// clusterOf selects what belongs to the cluster of a machine.
func clusterOf(machine client.Object) client.MatchingLabels {
	return client.MatchingLabels{clusterv1.ClusterNameLabel: machine.GetLabels()[clusterv1.ClusterNameLabel]}
}

// provision provisions a host for a machine, and reports the machine as ready once its Node has joined. Only then can the provider
// write its own ID into the Node. Cluster API itself does not look for Nodes before a control-plane machine has one.
func (p *provider) provision(ctx context.Context, machine *unstructured.Unstructured, host *metal3v1.BareMetalHost) error {
	key := client.ObjectKeyFromObject(host)
	err := p.patch(ctx, machine, func() {
		controllerutil.AddFinalizer(machine, providerFinalizer)
		machine.SetAnnotations(with(machine.GetAnnotations(), hostAnnotation, key.String()))
		_ = unstructured.SetNestedField(machine.Object, providerID(key), "spec", "providerID")
	})
	if err != nil {
		return err
	}
	err = p.patch(ctx, host, func() {
		host.Spec.ConsumerRef = &corev1.ObjectReference{
			APIVersion: Machine.GroupVersion().String(), Kind: Machine.Kind, Namespace: machine.GetNamespace(), Name: machine.GetName(),
		}
		if host.Spec.Image == nil {
			// Only once, unlike Metal3's own provider, which switches its hosts on again whenever it looks: people can switch these off.
			host.Spec.Image, host.Spec.Online = &metal3v1.Image{URL: "http://192.0.2.1/image.qcow2", Checksum: "none"}, true
		}
	})
	if err != nil {
		return err
	}
	if err := p.client.Get(ctx, client.ObjectKey{Name: host.Name}, &corev1.Node{}); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := machine.DeepCopy()
	_ = unstructured.SetNestedField(machine.Object, true, "status", "initialization", "provisioned")
	if err := p.client.Status().Patch(ctx, machine, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("saying that machine %s is provisioned: %w", machine.GetName(), err)
	}
	return nil
}

// release takes back the host of a machine in deletion.
func (p *provider) release(ctx context.Context, machine *unstructured.Unstructured, host *metal3v1.BareMetalHost) error {
	if host != nil {
		// Two steps, as in the real provider: the consumer reference stays until nothing runs on the host any more.
		if err := p.patch(ctx, host, func() { host.Spec.Image, host.Spec.Online = nil, false }); err != nil {
			return err
		}
		if host.Status.Provisioning.State != metal3v1.StateAvailable {
			return nil
		}
		if err := p.patch(ctx, host, func() { host.Spec.ConsumerRef = nil }); err != nil {
			return err
		}
	}
	return p.patch(ctx, machine, func() { controllerutil.RemoveFinalizer(machine, providerFinalizer) })
}

func (p *provider) patch(ctx context.Context, object client.Object, edit func()) error {
	before := object.DeepCopyObject().(client.Object)
	edit()
	if err := p.client.Patch(ctx, object, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("patching %T %s: %w", object, object.GetName(), err)
	}
	return nil
}

// with adds an annotation to a map, which may be nil.
func with(annotations map[string]string, key, value string) map[string]string {
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	return annotations
}
