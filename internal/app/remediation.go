package app

import (
	"context"
	"strings"
	"sync/atomic"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck/adoption"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// clusterAPI is what the controllers for Cluster API's Machines share.
type clusterAPI struct {
	options     Options
	ready       *readiness
	connections *connections
	selectors   mhcspec.Selectors
	// shown is what the dashboard shows; nil without a dashboard.
	shown *shownFleet

	// records reports whether Sickbay's own kinds are installed. Without them, machines are judged but not repaired.
	records atomic.Bool
	// clusters, observer and checks are made when the kinds of Cluster API are installed.
	clusters *workload.Clusters
	observer *machinehealth.Observer
	health   *machinehealth.Reconciler
	checks   *machinehealthcheck.Reconciler
}

// parts returns one part for verdicts and admission, one for hosts, and one for the records: a record remembers the host of its machine, so hosts come
// first.
func (c *clusterAPI) parts() []part {
	capi := []schema.GroupVersionKind{
		clusterv1.GroupVersion.WithKind("Cluster"), clusterv1.GroupVersion.WithKind("Machine"), clusterv1.GroupVersion.WithKind("MachineHealthCheck"),
	}
	own := []schema.GroupVersionKind{
		v1alpha1.GroupVersion.WithKind("MachineRemediation"), v1alpha1.GroupVersion.WithKind("MachineRemediationTemplate"),
	}
	var parts []part
	if names := c.needed(machinehealth.ControllerName, machinehealthcheck.ControllerName, remediation.ControllerName); len(names) > 0 {
		parts = append(parts, part{name: strings.Join(names, ", "), kinds: capi, add: c.addHealthAndFleet})
	}
	if len(parts) > 0 {
		parts = append(parts, part{name: "bare-metal hosts", kinds: append([]schema.GroupVersionKind{reboot.HostKind}, capi...), add: c.addHosts})
	}
	if names := c.needed(machinehealthcheck.ControllerName, remediation.ControllerName); len(names) > 0 {
		parts = append(parts, part{name: "records of " + strings.Join(names, ", "), kinds: append(own, capi...), add: c.addRecords})
	}
	return parts
}

// needed returns those of these controllers that run, and the dashboard, which reads the same objects.
func (c *clusterAPI) needed(controllers ...string) []string {
	names := c.options.enabled(controllers...)
	if c.shown != nil {
		names = append(names, dashboardName)
	}
	return names
}

// addHealth adds the controllers that need only Cluster API.
func (c *clusterAPI) addHealth(ctx context.Context, mgr ctrl.Manager) error {
	c.ready.require(&clusterv1.Cluster{}, &clusterv1.Machine{}, &clusterv1.MachineHealthCheck{})
	if err := mhcspec.AddIndexes(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	clusters, err := c.connections.get(ctx, mgr, c.options)
	if err != nil {
		return err
	}
	o := c.options
	c.clusters = clusters
	c.observer = &machinehealth.Observer{Nodes: workload.Decisive(clusters.For(o.waiting())), GracePeriod: o.RemoteConditionsGracePeriod, Hosts: &machinehealth.Hosts{Client: mgr.GetClient(), Live: mgr.GetAPIReader()}}
	if len(o.enabled(machinehealth.ControllerName)) > 0 {
		c.health = &machinehealth.Reconciler{
			Observer: c.observer, Selectors: &c.selectors, Policy: o.Policy, Clusters: clusters,
			SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
		}
		if err := c.health.AddToManager(mgr); err != nil { //nolint:contextcheck // Its queue asks for a cluster long after ctx has ended.
			return err
		}
	}
	if len(o.enabled(machinehealthcheck.ControllerName)) == 0 {
		return nil
	}
	if o.Policy.Adopt == mhcspec.AdoptHandedOver || o.Policy.Drain {
		adopter := &adoption.Reconciler{Policy: o.Policy, Namespace: o.Namespace, Concurrency: o.Concurrency}
		if err := adopter.AddToManager(ctx, mgr); err != nil {
			return err
		}
	}
	c.checks = c.newChecks(mgr)
	return c.checks.AddToManager(mgr)
}

func (c *clusterAPI) newChecks(mgr ctrl.Manager) *machinehealthcheck.Reconciler {
	o := c.options
	return &machinehealthcheck.Reconciler{
		Reader: machinehealthcheck.Reader{
			Reader: c.slots(mgr), Namespace: o.Namespace, RecordsInstalled: c.records.Load,
		},
		SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency, Tracer: o.tracer,
	}
}

// slots returns what the controllers of repairs count with.
func (c *clusterAPI) slots(mgr ctrl.Manager) slots.Reader {
	return slots.Reader{
		Cache: mgr.GetClient(), Live: mgr.GetAPIReader(), Observer: c.observer, Selectors: &c.selectors, Policy: c.options.Policy, Clock: clock.RealClock{},
	}
}

// repairsPerWorker is how many records are processed at once for each Machine that is judged at once: a repair waits for several requests
// where a verdict waits for one, so with as many workers, the repairs of a storm would come last.
const repairsPerWorker = 4

func (c *clusterAPI) newRepairs(mgr ctrl.Manager) *remediation.Reconciler {
	o, counts, observer := c.options, c.slots(mgr), *c.observer
	observer.Nodes = workload.Decisive(c.clusters.For(repairsPerWorker * o.waiting()))
	counts.Observer = &observer
	return &remediation.Reconciler{
		Reader:  remediation.Reader{Reader: counts, Gatekeeper: &slots.Gatekeeper{Reader: counts}, Namespace: o.Namespace},
		History: o.History, SyncPeriod: o.SyncPeriod, Concurrency: repairsPerWorker * o.Concurrency, Tracer: o.tracer,
	}
}

// newFleet makes an observer of the fleet that reads the same caches as the controllers, and writes nothing.
func (c *clusterAPI) newFleet(mgr ctrl.Manager) *fleet.Observer {
	observer := fleet.New(fleet.Sources{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Nodes: c.clusters, Hosts: c.observer.Hosts, GracePeriod: c.observer.GracePeriod,
		Policy: c.options.Policy, Namespace: c.options.Namespace, Records: c.records.Load(), Clock: clock.RealClock{},
	})
	observer.Checks.RecordsInstalled = c.records.Load
	return observer
}

// addHosts makes the controllers judge errors of hosts, and remember what was tried on one. Its part starts after the part of addHealth, which needs
// less. A cache waits for ever for a kind that it may not list. So if hosts may not be read, addHosts does nothing, and nobody waits.
func (c *clusterAPI) addHosts(ctx context.Context, mgr ctrl.Manager) error {
	list := scaffold.MetadataListOf(reboot.HostKind)
	if err := mgr.GetAPIReader().List(ctx, list, client.InNamespace(c.options.Namespace), client.Limit(1)); apierrors.IsForbidden(err) {
		mgr.GetLogger().Error(err, "Hosts are neither judged nor remembered until Sickbay may read them and is started again")
		return nil
	}
	c.ready.require(&metal3v1.BareMetalHost{})
	if err := c.observer.Hosts.Appeared(ctx, mgr.GetFieldIndexer()); err != nil || c.health == nil {
		return err
	}
	return c.health.HostsAppeared(mgr.GetCache())
}

// addRecords adds the controller that carries out records, and lets admission create them. Its part starts after the part of addHealth,
// which needs less.
func (c *clusterAPI) addRecords(ctx context.Context, mgr ctrl.Manager) error {
	c.ready.require(&v1alpha1.MachineRemediation{}, &v1alpha1.MachineRemediationTemplate{})
	if err := c.connections.indexRecords(ctx, mgr); err != nil {
		return err
	}
	c.records.Store(true)
	if c.checks != nil {
		if err := c.checks.RecordsAppeared(); err != nil {
			return err
		}
	}
	if len(c.options.enabled(remediation.ControllerName)) == 0 {
		return nil
	}
	return c.newRepairs(mgr).AddToManager(ctx, mgr)
}
