// Package health contains the health checks of Databases.
package health

import (
	"cmp"
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"

	databasev1 "github.com/sickbay-dev/sickbay/examples/database/api/v1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// The permissions of the checks. To store the clock of Upgraded, the engine patches an annotation of the
// object itself.
//
// +kubebuilder:rbac:groups=example.com,resources=databases,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=example.com,resources=databases/status,verbs=patch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

type database = *databasev1.Database

// upgradeTime is how long an upgrade may take.
const upgradeTime = 10 * time.Minute

// Checks are the health checks of Databases.
func Checks(remote healthcheck.Targets[database], recorder events.EventRecorder) healthcheck.Registration[database] {
	available := healthcheck.NewCondition("Available",
		checks.One("replicas", checks.Source, replicas, checks.StatefulSetAvailable),
		checks.HTTP("answers", url, checks.HTTPProbe{Timeout: 2 * time.Second}, checks.MissingIsSkipped()),
	)
	available.Damping = healthcheck.Damping{Failures: 2} // one lost answer is no outage
	degraded := healthcheck.NewCondition("Degraded", checks.Certificate("certificate", checks.Source, certificate, checks.Expiry{}))
	degraded.Negative = true // healthy if False
	return healthcheck.Registration[database]{
		Name:     "database-health",
		Precheck: untouched,
		Conditions: []healthcheck.ConditionChecks[database]{
			available,
			healthcheck.NewCondition("Upgraded", healthcheck.NewCheck("version", upgraded)),
			healthcheck.NewCondition("BackedUp", checks.One("backup", checks.Target, backup, checks.Deployment)),
			degraded,
		},
		Root:     healthcheck.Root{Type: "Ready"},
		Targets:  remote,
		Watches:  []healthcheck.Watch{{Object: &appsv1.StatefulSet{}}},
		Recorder: recorder,
	}
}

// untouched leaves a Database alone while it is being deleted or paused.
func untouched(_ context.Context, in healthcheck.Input[database]) (healthcheck.Applicability, time.Time, error) {
	if !in.Object.DeletionTimestamp.IsZero() || in.Object.Spec.Paused {
		return healthcheck.LeaveAlone, time.Time{}, nil
	}
	return healthcheck.Applies, time.Time{}, nil
}

// upgraded allows an upgrade its time, counted from when it was first seen.
func upgraded(_ context.Context, in healthcheck.Input[database]) (healthcheck.Result, error) {
	wanted, runs := in.Object.Spec.Version, in.Object.Status.Version
	if wanted == runs {
		return healthcheck.Result{Status: healthcheck.True, Reason: "Upgraded"}, nil
	}
	return healthcheck.Result{
		Status: healthcheck.Progressing, Reason: "Upgrading", Message: fmt.Sprintf("Version %s is wanted, and %s runs", wanted, cmp.Or(runs, "none")),
		Cause: wanted, Within: upgradeTime,
	}, nil
}

func replicas(d database) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name}}
}

func url(d database) string { return d.Spec.URL }

func certificate(d database) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name + "-tls"}}
}

// backup runs in the other cluster, in the namespace of the Database.
func backup(d database) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: d.Name + "-backup"}}
}
