package machinehealth

import (
	"context"
	"sync/atomic"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// byConsumer indexes BareMetalHosts by who uses them, and Machines by their infrastructure machine, which uses the host.
const byConsumer = "machinehealth.consumer"

// Hosts finds the BareMetalHosts that run Machines.
type Hosts struct {
	// Client reads from the cache, Live past it.
	Client, Live client.Reader

	installed atomic.Bool
}

// Appeared adds the indexes for hosts and their Machines, and enables reading hosts. Call it once their kind is installed.
func (h *Hosts) Appeared(ctx context.Context, indexer client.FieldIndexer) error {
	err := mhcspec.AddTo(ctx, indexer, []mhcspec.Index{
		{Object: &metal3v1.BareMetalHost{}, Field: byConsumer, Extract: func(obj client.Object) []string {
			if consumer := ConsumerOf(obj.(*metal3v1.BareMetalHost)); consumer != "" {
				return []string{consumer}
			}
			return nil
		}},
		{Object: &clusterv1.Machine{}, Field: byConsumer, Extract: func(obj client.Object) []string {
			return []string{ConsumerOfMachine(obj.(*clusterv1.Machine))}
		}},
	})
	if err != nil {
		return err
	}
	h.installed.Store(true)
	return nil
}

// Installed reports whether hosts can be read: their kind is installed, and Sickbay may read it.
func (h *Hosts) Installed() bool { return h != nil && h.installed.Load() }

// of returns what is known of the host of a Machine; zero if it has none.
func (h *Hosts) of(ctx context.Context, machine *clusterv1.Machine, live bool) (verdict.HostFacts, error) {
	host, err := h.Of(ctx, machine, live)
	if err != nil || host == nil {
		return verdict.HostFacts{}, err
	}
	return verdict.HostFactsOf(host), nil
}

// Of returns the host that runs a Machine, from the cache or, if live is set, past it; nil if there is none, or if hosts are not read. It
// goes by the host's consumerRef, and so needs no infrastructure machine. From the cache it has only what KeepHost keeps. A power cycle
// goes by the annotation that Metal3's controllers act on, and checks the consumerRef.
func (h *Hosts) Of(ctx context.Context, machine *clusterv1.Machine, live bool) (*metal3v1.BareMetalHost, error) {
	if !h.Installed() {
		return nil, nil
	}
	var list metal3v1.BareMetalHostList
	consumer := client.MatchingFields{byConsumer: ConsumerOfMachine(machine)}
	err := h.Client.List(ctx, &list, client.InNamespace(machine.Namespace), consumer, client.UnsafeDisableDeepCopy)
	if err != nil || len(list.Items) == 0 {
		return nil, err
	}
	host := &list.Items[0]
	if !live {
		return host, nil
	}
	current := &metal3v1.BareMetalHost{}
	if err := h.Live.Get(ctx, client.ObjectKeyFromObject(host), current); err != nil {
		return nil, client.IgnoreNotFound(err)
	}
	if ConsumerOf(current) != ConsumerOfMachine(machine) {
		return nil, nil
	}
	return current, nil
}

// KeepHost drops the parts of a host that nobody reads, on its way into a cache: most of a host describes its hardware. It masks the
// error, which may quote the address of the BMC with the password.
func KeepHost(host *metal3v1.BareMetalHost) *metal3v1.BareMetalHost {
	kept := &metal3v1.BareMetalHost{TypeMeta: host.TypeMeta, ObjectMeta: host.ObjectMeta}
	kept.ManagedFields = nil
	kept.Spec.ConsumerRef, kept.Spec.Online = host.Spec.ConsumerRef, host.Spec.Online
	kept.Status.PoweredOn, kept.Status.Provisioning.State = host.Status.PoweredOn, host.Status.Provisioning.State
	kept.Status.OperationalStatus, kept.Status.ErrorType = host.Status.OperationalStatus, host.Status.ErrorType
	kept.Status.ErrorMessage = mask.Text(host.Status.ErrorMessage)
	return kept
}

// ConsumerOf returns who uses a host, in the form of ConsumerOfMachine; empty if nobody does.
func ConsumerOf(host *metal3v1.BareMetalHost) string {
	ref := host.Spec.ConsumerRef
	if ref == nil || (ref.Namespace != "" && ref.Namespace != host.Namespace) {
		return ""
	}
	return consumer(ref.GroupVersionKind().Group, ref.Kind, ref.Name)
}

// ConsumerOfMachine returns who uses the host of a Machine: its infrastructure machine.
func ConsumerOfMachine(machine *clusterv1.Machine) string {
	ref := &machine.Spec.InfrastructureRef
	return consumer(ref.APIGroup, ref.Kind, ref.Name)
}

func consumer(group, kind, name string) string { return group + "/" + kind + "/" + name }
