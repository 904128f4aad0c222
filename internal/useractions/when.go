package useractions

import (
	"context"
	"fmt"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// host reads the BareMetalHost of a machine as a power cycle finds it, by the annotation of the infrastructure machine. It is an error if there is
// none; nil means that the person may not read it.
func (p *Person) host(ctx context.Context, machine *clusterv1.Machine) (*metal3v1.BareMetalHost, error) {
	ref := machine.Spec.InfrastructureRef
	infra, host := &metav1.PartialObjectMetadata{}, &metal3v1.BareMetalHost{}
	kind := schema.GroupKind{Group: ref.APIGroup, Kind: ref.Kind}
	err := scaffold.GetServed(ctx, p.Client, p.Client.RESTMapper(), kind, client.ObjectKey{Namespace: machine.Namespace, Name: ref.Name}, infra)
	name := reboot.HostName(infra)
	if err == nil && name != "" {
		err = p.Client.Get(ctx, client.ObjectKey{Namespace: machine.Namespace, Name: name}, host)
	}
	switch {
	case apierrors.IsForbidden(err):
		return nil, nil
	case err == nil && name != "":
		return host, nil
	case err == nil, apierrors.IsNotFound(err), meta.IsNoMatchError(err):
		return nil, Refusal(fmt.Sprintf("machine %s has no BareMetalHost, so there is nothing to power-cycle", machine.Name))
	}
	return nil, fmt.Errorf("looking for the host of machine %s: %w", machine.Name, err)
}

// when says when a power cycle begins if nothing else is done to the machine: what it waits for, as far as the person may read that. The host is nil
// if they may not read it.
func (p *Person) when(ctx context.Context, machine *clusterv1.Machine, cluster *clusterv1.Cluster, host *metal3v1.BareMetalHost, made *v1alpha1.MachineRemediation) (string, error) {
	seen, err := remediation.LookLive(ctx, p.Client, p.Policy, p.Clock, made)
	if err != nil {
		return "", err
	}
	plane, unread, err := p.plane(ctx, machine, cluster)
	if err != nil {
		return "", err
	}
	var unknown []string
	why := p.stops(machine, cluster)
	if len(seen.Unread) > 0 {
		unknown = append(unknown, "its health check is on hold")
	} else if why == "" {
		why = seen.Facts.Safety.OnHold
	}
	if host == nil {
		unknown = append(unknown, "a person keeps the host off")
	} else if why == "" {
		why = cycle.KeptBy(host, false)
	}
	if unread {
		unknown = append(unknown, "too few of its control plane are up")
	} else if why == "" {
		why = plane
	}
	switch {
	case why != "":
		return "Not before this ends: " + why, nil
	case len(unknown) > 0:
		return "At once, unless " + strings.Join(unknown, " or "), nil
	}
	return "At once", nil
}

// plane says for which other machines of its control plane a machine waits, as far as their Machines show; empty if for none. Unread reports that
// they do not show it.
func (p *Person) plane(ctx context.Context, machine *clusterv1.Machine, cluster *clusterv1.Cluster) (waits string, unread bool, err error) {
	if !util.IsControlPlaneMachine(machine) || cluster.Annotations[quorum.Permission] == "true" {
		return "", false, nil
	}
	var list clusterv1.MachineList
	err = p.Client.List(ctx, &list, client.InNamespace(machine.Namespace), client.HasLabels{clusterv1.MachineControlPlaneLabel},
		client.MatchingLabels{clusterv1.ClusterNameLabel: cluster.Name})
	if apierrors.IsForbidden(err) {
		return "", true, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("listing the machines of the control plane: %w", err)
	}
	// The state of their hosts and Nodes is not read, so the cycle may wait where this says nothing.
	facts := quorum.Facts{Home: quorum.HomeElsewhere}
	for i := range list.Items {
		if other := &list.Items[i]; other.UID != machine.UID {
			facts.Peers = append(facts.Peers, quorum.Peer{Name: other.Name, State: stateOf(other)})
		}
	}
	waits, _, advice := strings.Cut(quorum.Waits(facts), ". To cycle the host anyway")
	if advice {
		waits += ", unless etcd runs elsewhere"
	}
	return waits, waits == "", nil
}

func stateOf(machine *clusterv1.Machine) quorum.State {
	switch {
	case !machine.DeletionTimestamp.IsZero():
		return quorum.Deleting
	case verdict.Of(machine).Status == metav1.ConditionFalse:
		return quorum.Sick
	case !machine.Status.NodeRef.IsDefined():
		return quorum.NotJoined
	}
	return quorum.Up
}

// stops says which pause or hold of the machine or its cluster a power cycle waits for; empty if none.
func (p *Person) stops(machine *clusterv1.Machine, cluster *clusterv1.Cluster) string {
	switch {
	case mhcspec.ClusterPaused(cluster):
		return "Cluster " + cluster.Name + " is paused (spec.paused)"
	case mhcspec.MachinePaused(machine):
		return "Machine " + machine.Name + " is paused (annotation " + clusterv1.PausedAnnotation + ")"
	}
	why, _ := mhcspec.OnHold(p.Clock.Now(), machine, cluster)
	return why
}
