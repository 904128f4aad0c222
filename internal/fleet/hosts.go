package fleet

import (
	"context"
	"fmt"
	"slices"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
)

// readHosts adds the BareMetalHosts, the machines on them, and their power cycles.
func (l *look) readHosts(ctx context.Context, namespace string) error {
	if !l.Health.Hosts.Installed() {
		return nil
	}
	var list metal3v1.BareMetalHostList
	if err := l.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing BareMetalHosts: %w", err)
	}
	if len(list.Items) == 0 {
		return nil
	}
	byConsumer := map[string]*explain.Machine{}
	for _, m := range l.facts.Machines {
		byConsumer[m.Machine.Namespace+"/"+machinehealth.ConsumerOfMachine(m.Machine)] = m
	}
	cycles, problem := l.cycles(ctx, namespace)
	for i := range list.Items {
		host := &list.Items[i]
		one := &explain.Host{Host: host, Cycles: cycles[host.UID], Problem: problem}
		if consumer := machinehealth.ConsumerOf(host); consumer != "" {
			one.Machine = byConsumer[host.Namespace+"/"+consumer]
		}
		l.facts.Hosts = append(l.facts.Hosts, one)
	}
	return nil
}

// cycles returns the power cycles by the UIDs of their hosts, the earliest first, or why they are not known.
func (l *look) cycles(ctx context.Context, namespace string) (all map[types.UID][]*v1alpha1.RebootRemediation, problem string) {
	var list v1alpha1.RebootRemediationList
	if err := l.Live.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return nil, "power cycles cannot be listed: " + err.Error()
	}
	slices.SortFunc(list.Items, func(a, b v1alpha1.RebootRemediation) int {
		if c := a.CreationTimestamp.Compare(b.CreationTimestamp.Time); c != 0 {
			return c
		}
		return explain.ByName(&a, &b)
	})
	all = map[types.UID][]*v1alpha1.RebootRemediation{}
	for i := range list.Items {
		if host := list.Items[i].Status.Host; host != nil {
			all[host.UID] = append(all[host.UID], &list.Items[i])
		}
	}
	return all, ""
}
