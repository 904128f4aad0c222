package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// intakeParts returns one part for each kind of Machine: what others ask for becomes records.
func intakeParts(o Options, ready *readiness, shared *connections) []part {
	asked, record := v1alpha1.GroupVersion.WithKind("RebootRemediation"), v1alpha1.GroupVersion.WithKind("MachineRemediation")
	return []part{
		{
			name:  "intake of Cluster API",
			kinds: []schema.GroupVersionKind{asked, record, intake.ClusterAPIKind, clusterv1.GroupVersion.WithKind("Cluster")},
			add: func(ctx context.Context, mgr ctrl.Manager) error {
				return addIntake(ctx, mgr, o, ready, shared, &intake.Reconciler{Kind: intake.ClusterAPIKind})
			},
		},
		{
			name:  "intake of OpenShift",
			kinds: []schema.GroupVersionKind{asked, record, openshift.Kind},
			add: func(ctx context.Context, mgr ctrl.Manager) error {
				if err := externalRemediation(ctx, mgr, o); err != nil {
					return err
				}
				return addIntake(ctx, mgr, o, ready, shared, &intake.Reconciler{Kind: openshift.Kind, External: o.OpenShiftExternalRemediation})
			},
		},
	}
}

func addIntake(ctx context.Context, mgr ctrl.Manager, o Options, ready *readiness, shared *connections, controller *intake.Reconciler) error {
	ready.require(&v1alpha1.RebootRemediation{}, &v1alpha1.MachineRemediation{}, scaffold.MetadataOf(controller.Kind))
	if err := shared.indexRecords(ctx, mgr); err != nil {
		return err
	}
	controller.Concurrency, controller.WatchFilter, controller.Drain = o.Concurrency, o.Policy.WatchFilter, o.Policy.Drain
	return controller.AddToManager(mgr)
}

// recordsOfOpenShift returns the part that carries out the records of OpenShift's Machines.
func recordsOfOpenShift(o Options, shared *connections) part {
	return part{
		name:  "records of OpenShift",
		kinds: []schema.GroupVersionKind{v1alpha1.GroupVersion.WithKind("MachineRemediation"), openshift.Kind},
		add: func(ctx context.Context, mgr ctrl.Manager) error {
			if err := shared.indexRecords(ctx, mgr); err != nil {
				return err
			}
			controller := &remediation.Reconciler{
				Reader:     remediation.Reader{Reader: slots.Reader{Policy: o.Policy}, OpenShift: true, Namespace: o.Namespace},
				SyncPeriod: o.SyncPeriod, Concurrency: o.Concurrency, History: o.History, Tracer: o.tracer,
			}
			return controller.AddToManager(ctx, mgr)
		},
	}
}

// externalRemediation refuses to carry out the annotation of OpenShift's health checks if somebody else does.
func externalRemediation(ctx context.Context, mgr ctrl.Manager, o Options) error {
	if !o.OpenShiftExternalRemediation {
		return nil
	}
	provider, err := intake.ProviderAtWork(ctx, mgr.GetAPIReader(), cmp.Or(o.Namespace, intake.Namespace), time.Now())
	if err != nil {
		return err
	}
	if provider != "" {
		return fmt.Errorf("--openshift-external-remediation cannot be used: %s", provider)
	}
	return nil
}
