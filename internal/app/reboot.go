package app

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// rebootParts returns one part for each kind of Machine, and one to clean up hosts. Each opens separately: a cluster may have any of these kinds.
func rebootParts(o Options, ready *readiness, shared *connections) []part {
	record := v1alpha1.GroupVersion.WithKind("RebootRemediation")
	return []part{
		{
			name: "reboot of Cluster API",
			kinds: []schema.GroupVersionKind{
				record, reboot.HostKind, reboot.ClusterAPIKind, clusterv1.GroupVersion.WithKind("Cluster"),
			},
			add: func(ctx context.Context, mgr ctrl.Manager) error {
				clusters, err := shared.get(ctx, mgr, o)
				if err != nil {
					return err
				}
				return addReboot(mgr, o, ready, &reboot.Reconciler{Kind: reboot.ClusterAPIKind, Workload: clusters, Clusters: clusters})
			},
		},
		{
			name:  "reboot of OpenShift",
			kinds: []schema.GroupVersionKind{record, reboot.HostKind, reboot.OpenShiftKind},
			add: func(_ context.Context, mgr ctrl.Manager) error {
				here, err := newLocal(mgr)
				if err != nil {
					return err
				}
				return addReboot(mgr, o, ready, &reboot.Reconciler{Kind: reboot.OpenShiftKind, Workload: here})
			},
		},
		{
			name:  "reboot, looking for what was left on hosts",
			kinds: []schema.GroupVersionKind{record, reboot.HostKind},
			add: func(_ context.Context, mgr ctrl.Manager) error {
				return mgr.Add(&reboot.Sweeper{Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Namespace: o.Namespace, Period: o.SyncPeriod, Policy: o.Policy})
			},
		},
	}
}

// addReboot adds the controller that power-cycles the hosts of one kind of Machine.
func addReboot(mgr ctrl.Manager, o Options, ready *readiness, controller *reboot.Reconciler) error {
	ready.require(&v1alpha1.RebootRemediation{}, scaffold.MetadataOf(reboot.HostKind), scaffold.MetadataOf(controller.Kind))
	controller.SyncPeriod, controller.Concurrency = o.SyncPeriod, o.Concurrency
	controller.WatchFilter, controller.Drain = o.Policy.WatchFilter, o.Policy.Drain
	return controller.AddToManager(mgr)
}

// newLocal returns access to the Nodes of the cluster that Sickbay runs in. It is not cached: an act on a Node depends
// on the Node's current state.
func newLocal(mgr ctrl.Manager) (workload.Local, error) {
	live, err := client.New(mgr.GetConfig(), client.Options{HTTPClient: mgr.GetHTTPClient(), Scheme: mgr.GetScheme(), Mapper: mgr.GetRESTMapper()})
	if err != nil {
		return workload.Local{}, fmt.Errorf("making a client for Nodes: %w", err)
	}
	return workload.Local{Live: live, Config: mgr.GetConfig()}, nil
}
