package machinehealth

import (
	"context"
	"sync/atomic"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/managed"
	"github.com/sickbay-dev/sickbay/internal/mask"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// byConsumer indexes BareMetalHosts by who uses them, and Machines by their infrastructure machine, which does.
const byConsumer = "machinehealth.consumer"

// Hosts finds the BareMetalHosts that run Machines.
type Hosts struct {
	// Client reads from the cache, Live past it.
	Client, Live client.Reader

	installed atomic.Bool
}

// Appeared indexes the hosts and the Machines that they run, and has hosts looked at. It is called once their kind is installed.
func (h *Hosts) Appeared(ctx context.Context, indexer client.FieldIndexer) error {
	err := targets.AddTo(ctx, indexer, []targets.Index{
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

// Installed reports whether there can be hosts: their kind is installed and may be read.
func (h *Hosts) Installed() bool { return h != nil && h.installed.Load() }

// of returns what is known of the host of a Machine; zero if it has none.
func (h *Hosts) of(ctx context.Context, machine *clusterv1.Machine, live bool) (HostFacts, error) {
	host, err := h.Cached(ctx, machine)
	if err != nil || host == nil {
		return HostFacts{}, err
	}
	if !live {
		return hostFacts(host), nil
	}
	current := &metal3v1.BareMetalHost{}
	if err := h.Live.Get(ctx, client.ObjectKeyFromObject(host), current); err != nil {
		return HostFacts{}, client.IgnoreNotFound(err)
	}
	if ConsumerOf(current) != ConsumerOfMachine(machine) {
		return HostFacts{}, nil
	}
	return hostFacts(current), nil
}

// Cached is the host that runs a Machine, as the cache has it; nil if there is none, or if nobody reads hosts.
func (h *Hosts) Cached(ctx context.Context, machine *clusterv1.Machine) (*metal3v1.BareMetalHost, error) {
	if !h.Installed() {
		return nil, nil
	}
	var list metal3v1.BareMetalHostList
	consumer := client.MatchingFields{byConsumer: ConsumerOfMachine(machine)}
	if err := h.Client.List(ctx, &list, client.InNamespace(machine.Namespace), consumer, client.UnsafeDisableDeepCopy); err != nil || len(list.Items) == 0 {
		return nil, err
	}
	return &list.Items[0], nil
}

// KeepHost drops whatever is not read of a host on its way into a cache: most of it is about its hardware. Its error may quote the address
// of its BMC, with the password.
func KeepHost(host *metal3v1.BareMetalHost) *metal3v1.BareMetalHost {
	kept := &metal3v1.BareMetalHost{TypeMeta: host.TypeMeta, ObjectMeta: host.ObjectMeta}
	kept.ManagedFields = nil
	kept.Spec.ConsumerRef = host.Spec.ConsumerRef
	kept.Status.PoweredOn = host.Status.PoweredOn
	kept.Status.OperationalStatus, kept.Status.ErrorType = host.Status.OperationalStatus, host.Status.ErrorType
	kept.Status.ErrorMessage = mask.Text(host.Status.ErrorMessage)
	return kept
}

// HostsAppeared has hosts wake up the Machines that they run. It is called after the Hosts of the Observer have Appeared.
func (r *Reconciler) HostsAppeared(objects cache.Cache) error {
	return r.ctl.Watch(source.Kind(objects, client.Object(&metal3v1.BareMetalHost{}), handler.EnqueueRequestsFromMapFunc(r.machinesOfHost), relevantHostChange()))
}

// machinesOfHost is the Machine that a host runs. At a start each host has news.
func (r *Reconciler) machinesOfHost(ctx context.Context, host client.Object) []ctrl.Request {
	consumer := ConsumerOf(host.(*metal3v1.BareMetalHost))
	if consumer == "" {
		return nil
	}
	var list clusterv1.MachineList
	err := r.Client.List(ctx, &list, client.InNamespace(host.GetNamespace()), client.MatchingFields{byConsumer: consumer}, client.UnsafeDisableDeepCopy)
	return toRequests(ctx, list.Items, err)
}

// relevantHostChange drops the events that cannot change a verdict.
func relevantHostChange() predicate.Predicate {
	return predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		before, after := e.ObjectOld.(*metal3v1.BareMetalHost), e.ObjectNew.(*metal3v1.BareMetalHost)
		return hostFacts(before) != hostFacts(after) || ConsumerOf(before) != ConsumerOf(after)
	}}
}

// hostApplies reports whether the condition about its host applies to a Machine: if the errors of hosts are judged, and it has one.
func (r *Reconciler) hostApplies(ctx context.Context, in input) (healthcheck.Applicability, error) {
	machine := in.Object
	host, err := r.Observer.Hosts.of(ctx, machine, false)
	if err != nil {
		return 0, err
	}
	stands := meta.FindStatusCondition(machine.Status.Conditions, HostConditionType) != nil && managed.Wrote(machine, HostConditionType, FieldOwner)
	if host.Name == "" && !stands {
		return healthcheck.LeaveAlone, nil
	}
	applies, err := r.applies(ctx, in)
	if err != nil || applies == healthcheck.LeaveAlone {
		return applies, err
	}
	if applies == healthcheck.Applies && host.Name != "" {
		if judged, err := r.judgesHosts(ctx, machine); err != nil || judged {
			return healthcheck.Applies, err
		}
	}
	if !stands {
		return healthcheck.LeaveAlone, nil
	}
	return healthcheck.DoesNotApply, nil
}

// judgesHosts reports whether the MachineHealthCheck of a Machine asks for the errors of hosts.
func (r *Reconciler) judgesHosts(ctx context.Context, machine *clusterv1.Machine) (bool, error) {
	mhc, err := r.owner(ctx, machine)
	return mhc != nil && RulesOf(mhc).HostErrorTimeout > 0, err
}

// checkHost keeps since when a host has had an error.
func (r *Reconciler) checkHost(ctx context.Context, in input) (healthcheck.Result, error) {
	host, err := r.Observer.Hosts.of(ctx, in.Object, false)
	return hostResult(host), err
}
