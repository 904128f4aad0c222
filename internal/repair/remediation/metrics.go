package remediation

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/timeline"
)

var (
	remediationsGauge = metrics.NewGauge("sickbay_remediations",
		"Open remediations by the MachineHealthCheck that admitted them, phase and reason.", "namespace", "machinehealthcheck", "phase", "reason")
	oldestGauge = metrics.NewGauge("sickbay_remediations_oldest_timestamp_seconds",
		"Unix time at which the oldest of the open remediations began its phase; in phase Acting, its latest attempt.", "namespace", "machinehealthcheck", "phase", "reason")
	openGauge = metrics.NewGauge("sickbay_remediation_open_timestamp_seconds",
		"For each open remediation: Unix time at which it was created. If there are more than 1000, only the oldest have a series.",
		"namespace", "machinehealthcheck", "cluster", "machine", "name", "phase", "reason", "step", "slot")

	attemptsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_remediation_attempts_total", Help: "Attempts by action, step and outcome.",
	}, []string{"action", "step", "outcome"})
	endedTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sickbay_remediations_ended_total", Help: "Remediations that have ended, by outcome.",
	}, []string{"outcome"})
	durationSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "sickbay_remediation_duration_seconds", Help: "How long the parts of remediations took that did what they should; heal and all only where that is known to have helped.",
		Buckets: []float64{0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400},
	}, []string{"part"})
)

func init() {
	ctrlmetrics.Registry.MustRegister(attemptsTotal, endedTotal, durationSeconds)
	for _, outcome := range []string{
		v1alpha1.ReasonRecovered, v1alpha1.ReasonRecoveredUnaided, v1alpha1.ReasonReplaced, v1alpha1.ReasonReplacementFailed, v1alpha1.ReasonMachineDeleted,
		v1alpha1.ReasonUnproven, v1alpha1.ReasonCancelled, v1alpha1.ReasonHandedBack, v1alpha1.ReasonHandedOver, v1alpha1.ReasonDone,
		v1alpha1.ReasonNotDone, v1alpha1.ReasonSuperseded,
	} {
		endedTotal.WithLabelValues(outcome)
	}
}

// initAttemptCounters initializes the counters of an open record's steps with 0: Prometheus does not count the first increase of a series
// that appears with the value 1. It runs at each look, since the process may have started after the record was made.
func initAttemptCounters(r *v1alpha1.MachineRemediation) {
	if ladder.Ended(r) {
		return
	}
	for _, step := range r.Spec.Steps {
		for _, outcome := range []v1alpha1.AttemptResult{
			outcomeStarted, v1alpha1.ResultSucceeded, v1alpha1.ResultFailed, v1alpha1.ResultTimedOut, v1alpha1.ResultNotBegun, v1alpha1.ResultImpossible,
			v1alpha1.ResultAborted, v1alpha1.ResultDenied, v1alpha1.ResultCancelled, v1alpha1.ResultUnneeded,
		} {
			attemptsTotal.WithLabelValues(string(step.Action), step.Name, string(outcome))
		}
		if step.Action == v1alpha1.ActionReplace {
			attemptsTotal.WithLabelValues(string(step.Action), step.Name, outcomeUnproven)
		}
	}
}

// maxOpenSeries is how many open remediations get their own series: the oldest, so that the series are stable.
const maxOpenSeries = 1000

// outcomeStarted counts attempts that were carried out, outcomeUnproven those that had the machine deleted without waiting for one to replace it; the
// other outcomes are the results of attempts.
const (
	outcomeStarted  = "Started"
	outcomeUnproven = "Unproven"
)

// measure counts the changes in a status write.
func measure(before, after *v1alpha1.MachineRemediation) {
	measureAttempt(before, after)
	if before.Status.CompletionTime != nil || after.Status.CompletionTime == nil {
		return
	}
	endedTotal.WithLabelValues(cmp.Or(ladder.Success(&after.Status).Reason, "Unknown")).Inc()
	for part, took := range timeline.Of(after).Parts() {
		durationSeconds.WithLabelValues(part).Observe(took.Seconds())
	}
}

func measureAttempt(before, after *v1alpha1.MachineRemediation) {
	last := ladder.Last(&after.Status)
	if last == nil {
		return
	}
	action := "Unknown"
	if step, ok := ladder.StepNamed(after, last.Step); ok {
		action = string(step.Action)
	}
	if askedSince(before, last) {
		attemptsTotal.WithLabelValues(action, last.Step, outcomeStarted).Inc()
	}
	if last.Result != "" && last.Result != v1alpha1.ResultWithdrawn && resultOf(before, last.Number) != last.Result {
		outcome := string(last.Result)
		if last.Result == v1alpha1.ResultSucceeded && ladder.ReplacedUnchecked(after) {
			outcome = outcomeUnproven
		}
		attemptsTotal.WithLabelValues(action, last.Step, outcome).Inc()
	}
}

// Metrics collects the metrics of the open records.
func (r *Reconciler) Metrics(ctx context.Context, s *metrics.Samples) {
	open, err := recordstore.Open(ctx, r.Cache)
	if err != nil {
		ctrl.Log.V(1).Info("Remediations are left out of the metrics", "error", err.Error())
		return
	}
	all := make([]*v1alpha1.MachineRemediation, 0, len(open))
	for i := range open {
		if one := open[i]; one.Status.Phase != "" && one.Spec.MachineRef.APIGroup == clusterv1.GroupVersion.Group && r.managed(ctx, one) {
			all = append(all, one)
		}
	}
	show(s, all)
}

// managed reports whether this manager shows a record, rather than another one. If the MachineHealthCheck is gone, no other manager looks after it.
func (r *Reader) managed(ctx context.Context, record *v1alpha1.MachineRemediation) bool {
	mhc, key := &clusterv1.MachineHealthCheck{}, client.ObjectKey{Namespace: record.Namespace, Name: record.Spec.HealthCheckRef.Name}
	return r.Cache.Get(ctx, key, mhc, client.UnsafeDisableDeepCopy) != nil || r.Policy.Keeps(mhc)
}

// show counts the records by phase, and shows the oldest one by one.
func show(s *metrics.Samples, all []*v1alpha1.MachineRemediation) {
	for _, one := range all {
		labels := []string{one.Namespace, one.Spec.HealthCheckRef.Name, string(one.Status.Phase), ladder.Progress(&one.Status).Reason}
		s.Add(remediationsGauge, 1, labels...)
		s.Earliest(oldestGauge, inPhaseSince(one), labels...)
	}
	if len(all) > maxOpenSeries {
		all = slices.Clone(all)
		slices.SortFunc(all, func(a, b *v1alpha1.MachineRemediation) int {
			return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
		})
		all = all[:maxOpenSeries]
	}
	for _, one := range all {
		s.SetTime(openGauge, one.CreationTimestamp.Time, one.Namespace, one.Spec.HealthCheckRef.Name, one.Spec.ClusterName, one.Spec.MachineRef.Name,
			one.Name, string(one.Status.Phase), ladder.Progress(&one.Status).Reason, one.Status.Step, strconv.FormatBool(ladder.InFlight(one)))
	}
}

// inPhaseSince is when a record entered its phase.
func inPhaseSince(r *v1alpha1.MachineRemediation) time.Time {
	if c := ladder.Progress(&r.Status); c.Status == metav1.ConditionFalse {
		// A person decides.
		return c.LastTransitionTime.Time
	}
	last := ladder.Last(&r.Status)
	switch r.Status.Phase {
	case v1alpha1.RemediationProbation:
		if r.Status.RecoveryTime != nil {
			return r.Status.RecoveryTime.Time
		}
	case v1alpha1.RemediationActing:
		if last != nil && last.StartTime != nil {
			return last.StartTime.Time
		}
	default:
		if last != nil && last.EndTime != nil {
			return last.EndTime.Time
		}
	}
	return r.CreationTimestamp.Time
}
