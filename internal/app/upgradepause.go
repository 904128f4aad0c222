package app

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// upgradePauseParts returns one part for each kind of MachineHealthCheck, and one each for OpenShift's ClusterVersion and
// MachineConfigPool. Each opens separately: a cluster may have any of these kinds.
func upgradePauseParts(o Options, ready *readiness) []part {
	version, pools := &upgradepause.Installed{}, &upgradepause.Installed{}
	checks := func(kind schema.GroupVersionKind) func(context.Context, ctrl.Manager) error {
		return func(_ context.Context, mgr ctrl.Manager) error {
			ready.require(scaffold.MetadataOf(kind))
			controller := &upgradepause.Reconciler{
				Kind: kind, ClusterVersion: version, MachineConfigPools: pools, Namespace: o.Namespace, WatchFilter: o.Policy.WatchFilter, Drain: o.Policy.Drain,
				WarnAfter: o.MaxUpgradePauseWarning, SettleTimeout: o.UpgradeSettleTimeout, Ours: looksAfter(o, kind), SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency,
			}
			return controller.AddToManager(mgr)
		}
	}
	capi := upgradepause.ClusterAPIKind
	return []part{
		{
			name:  "upgradepause of Cluster API",
			kinds: []schema.GroupVersionKind{capi, clusterv1.GroupVersion.WithKind("Cluster"), clusterv1.GroupVersion.WithKind("MachineDeployment")},
			add:   checks(capi),
		},
		{
			name:  "upgradepause of OpenShift",
			kinds: []schema.GroupVersionKind{upgradepause.OpenShiftKind},
			add:   checks(upgradepause.OpenShiftKind),
		},
		{
			name:  "upgradepause by ClusterVersion",
			kinds: []schema.GroupVersionKind{configv1.GroupVersion.WithKind("ClusterVersion")},
			add:   func(context.Context, ctrl.Manager) error { return version.Set() },
		},
		{
			name:  "upgradepause by MachineConfigPool",
			kinds: []schema.GroupVersionKind{mcfgv1.GroupVersion.WithKind("MachineConfigPool")},
			add:   func(context.Context, ctrl.Manager) error { return pools.Set() },
		},
	}
}

// looksAfter returns a function that reports whether this manager judges the machines of a MachineHealthCheck, and so restarts their clocks
// when it is resumed.
func looksAfter(o Options, kind schema.GroupVersionKind) func(*metav1.PartialObjectMetadata) bool {
	judges := kind == upgradepause.ClusterAPIKind && len(o.enabled(machinehealth.ControllerName)) > 0
	return func(check *metav1.PartialObjectMetadata) bool {
		return judges && o.Policy.Manages(&clusterv1.MachineHealthCheck{ObjectMeta: check.ObjectMeta})
	}
}
