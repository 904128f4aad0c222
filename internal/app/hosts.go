package app

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// hosts finds the bare-metal host of a Machine, so that the repairs of a host are remembered even if its Machine is
// replaced.
type hosts struct {
	// live reads past the cache: few machines are admitted, and nothing here watches their infrastructure.
	live client.Reader
	// kinds says which version of Metal3's kind is served: Metal3 has changed it.
	kinds meta.RESTMapper
}

// metal3Machine is the kind of infrastructure machine that runs on Metal3's hosts.
var metal3Machine = schema.GroupKind{Group: "infrastructure.cluster.x-k8s.io", Kind: "Metal3Machine"}

// of returns the host of a Machine; nil if it has none.
func (h hosts) of(ctx context.Context, machine *clusterv1.Machine) (*v1alpha1.RemediationReference, error) {
	ref := machine.Spec.InfrastructureRef
	if (schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}) != metal3Machine {
		return nil, nil
	}
	infrastructure := &metav1.PartialObjectMetadata{}
	if err := scaffold.GetServed(ctx, h.live, h.kinds, metal3Machine, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, infrastructure); err != nil {
		return nil, ignoreAbsent(err)
	}
	name := reboot.HostName(infrastructure)
	if name == "" {
		return nil, nil
	}
	host := scaffold.MetadataOf(reboot.HostKind)
	if err := h.live.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: name}, host); err != nil {
		return nil, ignoreAbsent(fmt.Errorf("getting %s %s: %w", reboot.HostKind.Kind, name, err))
	}
	return &v1alpha1.RemediationReference{Name: host.GetName(), UID: host.GetUID()}, nil
}

// ignoreAbsent drops errors that mean that an object or its kind does not exist.
func ignoreAbsent(err error) error {
	if client.IgnoreNotFound(err) == nil || meta.IsNoMatchError(err) {
		return nil
	}
	return err
}
