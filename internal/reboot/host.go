package reboot

import (
	"context"
	"fmt"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// HostAnnotation on an infrastructure machine or on a Machine of OpenShift names its host as namespace/name.
const HostAnnotation = "metal3.io/BareMetalHost"

// host reads the host of a Machine live. The Machine, or its infrastructure machine, names the BareMetalHost. Once the status records a
// host, host reads that one and no other, even if the Machine or its infrastructure machine cannot be read.
func (r reader) host(ctx context.Context, v *observed) (*metal3v1.BareMetalHost, cycle.HostFacts, error) {
	recorded := v.request.Status.Host
	user, found, err := r.findHost(ctx, v.machine)
	switch {
	case err != nil && recorded != nil:
		v.machineUnreadable("The infrastructure machine cannot be read", err)
	case apierrors.IsForbidden(err):
		return nil, cycle.HostFacts{Unread: "Sickbay may not look for the host: " + err.Error()}, nil
	case err != nil:
		return nil, cycle.HostFacts{}, err
	}
	if recorded != nil {
		found = cycle.HostFacts{Name: recorded.Name}
	}
	if found.Missing != "" {
		return nil, found, nil
	}
	return r.hostOf(ctx, v.request, user, found.Name)
}

// hostOf reads a BareMetalHost live, by name.
func (r reader) hostOf(ctx context.Context, request *v1alpha1.RebootRemediation, user cycle.Consumer, name string) (*metal3v1.BareMetalHost, cycle.HostFacts, error) {
	began := r.clock.Now()
	host, err := r.readHost(ctx, client.ObjectKey{Namespace: request.Namespace, Name: name})
	if err != nil {
		return nil, cycle.HostFacts{}, err
	}
	if host == nil {
		return nil, cycle.HostFacts{Missing: fmt.Sprintf("The host %s does not exist", name)}, nil
	}
	facts := cycle.HostFactsOf(host, request.UID, user)
	facts.KeySeenFor = seenFor(r.memory, client.ObjectKeyFromObject(request), facts, request.Status.KeySince, began, r.clock.Now())
	return host, facts, nil
}

// readHost reads a BareMetalHost live; nil if there is none of that name.
func (r reader) readHost(ctx context.Context, key client.ObjectKey) (*metal3v1.BareMetalHost, error) {
	host := &metal3v1.BareMetalHost{}
	err := r.live.Get(ctx, key, host)
	if apierrors.IsNotFound(err) || meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("getting host %s: %w", key, err)
	}
	return host, nil
}

// findHost returns the name of a Machine's host and who must be using it, or says why there is none.
func (r reader) findHost(ctx context.Context, m *machine) (user cycle.Consumer, host cycle.HostFacts, err error) {
	if m == nil {
		return cycle.Consumer{}, cycle.HostFacts{Missing: "The machine is gone"}, nil
	}
	obj := metav1.Object(m.object)
	user = cycle.Consumer{Group: machinev1.GroupName, Kind: "Machine", Namespace: obj.GetNamespace(), Name: obj.GetName()}
	if m.cluster.Name != "" {
		var infra *metav1.PartialObjectMetadata
		if infra, host.Missing, err = r.infrastructure(ctx, m); infra == nil {
			return cycle.Consumer{}, host, err
		}
		obj = infra
		user = cycle.Consumer{Group: m.infrastructure.APIGroup, Kind: m.infrastructure.Kind, Namespace: infra.Namespace, Name: infra.Name}
	}
	value := obj.GetAnnotations()[HostAnnotation]
	if value == "" {
		return user, cycle.HostFacts{Missing: fmt.Sprintf("The machine has no host: %s has no annotation %s", obj.GetName(), HostAnnotation)}, nil
	}
	name := HostName(obj)
	if name == "" {
		host.Missing = fmt.Sprintf("Annotation %s of %s is %q: it must be %s/ and the name of a host", HostAnnotation, obj.GetName(), value, obj.GetNamespace())
		return user, host, nil
	}
	return user, cycle.HostFacts{Name: name}, nil
}

// HostName returns the host that a Machine, or its infrastructure machine, names by annotation; empty if it names none in its own
// namespace.
func HostName(obj metav1.Object) string {
	namespace, name, _ := strings.Cut(obj.GetAnnotations()[HostAnnotation], "/")
	if namespace != obj.GetNamespace() || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return ""
	}
	return name
}

// infrastructure reads the infrastructure machine, whatever its kind.
func (r reader) infrastructure(ctx context.Context, m *machine) (infra *metav1.PartialObjectMetadata, missing string, err error) {
	ref := m.infrastructure
	if !ref.IsDefined() {
		return nil, "The machine has no infrastructure machine", nil
	}
	infra, kind := &metav1.PartialObjectMetadata{}, schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}
	err = scaffold.GetServed(ctx, r.live, r.mapper, kind, client.ObjectKey{Namespace: m.object.GetNamespace(), Name: ref.Name}, infra)
	switch {
	case meta.IsNoMatchError(err):
		return nil, fmt.Sprintf("The kind %s of %s is not installed", ref.Kind, ref.APIGroup), nil
	case apierrors.IsNotFound(err):
		return nil, fmt.Sprintf("%s %s does not exist", ref.Kind, ref.Name), nil
	case err != nil:
		return nil, "", err
	}
	return infra, "", nil
}
