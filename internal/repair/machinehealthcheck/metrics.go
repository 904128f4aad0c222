package machinehealthcheck

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	labelNamespace = "namespace"
	labelName      = "machinehealthcheck"
)

var (
	machinesGauge = metrics.NewGauge("sickbay_machines", "Machines by verdict and by the check that led to it.", labelNamespace, labelName, "verdict", "check")
	waitingGauge  = metrics.NewGauge("sickbay_machines_waiting",
		"Sick machines that nobody is repairing, by what holds the repair back.", labelNamespace, labelName, "reason")
	waitingOldestGauge = metrics.NewGauge("sickbay_machines_waiting_oldest_timestamp_seconds",
		"Unix time at which the machine that has waited the longest fell sick.", labelNamespace, labelName, "reason")
	shortCircuitGauge = metrics.NewGauge("sickbay_short_circuit",
		"1 while a MachineHealthCheck has sick machines and does not allow their remediation.", labelNamespace, labelName)
	gateOpenGauge   = metrics.NewGauge("sickbay_gate_open", "1 while a MachineHealthCheck allows repairs to begin, 0 while it does not.", labelNamespace, labelName)
	gateClosedGauge = metrics.NewGauge("sickbay_gate_closed_timestamp_seconds",
		"Unix time at which a MachineHealthCheck stopped allowing repairs to begin, for this reason.", labelNamespace, labelName, "reason")
	unhealthyGauge    = metrics.NewGauge("sickbay_unhealthy_machines", "Machines that triggerIf counts as not healthy.", labelNamespace, labelName)
	maxUnhealthyGauge = metrics.NewGauge("sickbay_max_unhealthy_machines", "How many unhealthy machines triggerIf allows at most.", labelNamespace, labelName)
	slotsGauge        = metrics.NewGauge("sickbay_slots", "How many remediations may be in flight at once.", labelNamespace, labelName)
	slotsTakenGauge   = metrics.NewGauge("sickbay_slots_taken", "How many machines take a slot.", labelNamespace, labelName)
	pacingLimitGauge  = metrics.NewGauge("sickbay_pacing_limit", "How many repairs of a domain may be unproven at once.", labelNamespace, labelName, "domain")
	unprovenGauge     = metrics.NewGauge("sickbay_pacing_unproven", "How many repairs of a domain are unproven.", labelNamespace, labelName, "domain")
	cooldownGauge     = metrics.NewGauge("sickbay_pacing_cooldown_until_timestamp_seconds",
		"Unix time until which no repair begins in a domain.", labelNamespace, labelName, "domain")
	pausedGauge      = metrics.NewGauge("sickbay_paused", "1 while a MachineHealthCheck or its Cluster is paused.", labelNamespace, labelName)
	pausedSinceGauge = metrics.NewGauge("sickbay_paused_timestamp_seconds",
		"Unix time at which a MachineHealthCheck was paused, by what pauses it.", labelNamespace, labelName, "cause")

	holdGauge = metrics.NewGauge("sickbay_hold_until_timestamp_seconds",
		"Unix time until which a Machine, a MachineHealthCheck or a Cluster is on hold; 0 if nobody can read the time.", "kind", labelNamespace, "name")
	machinesPausedGauge = metrics.NewGauge("sickbay_machines_paused",
		"Machines that Sickbay leaves alone, because they are paused or skip remediation.", labelNamespace, "cluster", "cause")

	deletingOldestGauge = metrics.NewGauge("sickbay_machines_deleting_oldest_timestamp_seconds",
		"Unix time at which the deletion began of the machine that has been in deletion the longest.", labelNamespace, "cluster", "machine")

	relapsesTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "sickbay_remediation_relapses_total", Help: "Remediations of machines or hosts that were repaired for the same reason shortly before.",
	})
)

func init() { ctrlmetrics.Registry.MustRegister(relapsesTotal) }

// Metrics collects the results of the last looks, and what is on hold.
func (r *Reconciler) Metrics(ctx context.Context, s *metrics.Samples) {
	for key, one := range r.memory.All() {
		if one.snapshot != nil {
			one.snapshot.show(s, key.Namespace, key.Name)
		}
	}
	shown := r.shown(ctx)
	r.showHolds(ctx, s, shown)
	r.showPaused(ctx, s, shown)
	r.showDeletions(ctx, s, shown)
}

// shown reports whether to show an object that is on hold or paused: not if another manager looks after it, by the label of its
// Cluster. If the Cluster does not exist, no other manager does.
func (r *Reader) shown(ctx context.Context) func(client.Object) bool {
	ofCluster := func(key client.ObjectKey) bool {
		cluster := &clusterv1.Cluster{}
		return r.Cache.Get(ctx, key, cluster, client.UnsafeDisableDeepCopy) != nil || cluster.Labels[clusterv1.WatchLabel] == r.Policy.WatchFilter
	}
	return func(object client.Object) bool {
		switch one := object.(type) {
		case *clusterv1.MachineHealthCheck:
			return r.Policy.Manages(one)
		case *clusterv1.Machine:
			return r.Policy.WatchFilter == "" || ofCluster(client.ObjectKey{Namespace: one.Namespace, Name: one.Spec.ClusterName})
		}
		return r.Policy.WatchFilter == "" || object.GetLabels()[clusterv1.WatchLabel] == r.Policy.WatchFilter
	}
}

// showHolds shows what is on hold. It leaves out what the cache does not show.
func (r *Reader) showHolds(ctx context.Context, s *metrics.Samples, shown func(client.Object) bool) {
	holds, err := mhcspec.Holds(ctx, r.Cache, r.Clock.Now())
	if err != nil {
		ctrl.Log.V(1).Info("Holds are left out of the metrics", "error", err.Error())
		return
	}
	for _, hold := range holds {
		if !shown(hold.Object) {
			continue
		}
		value := 0.0
		if !hold.Until.IsZero() {
			value = float64(hold.Until.Unix())
		}
		s.Set(holdGauge, value, hold.Kind, hold.Object.GetNamespace(), hold.Object.GetName())
	}
}

// showPaused counts the machines that are paused.
func (r *Reader) showPaused(ctx context.Context, s *metrics.Samples, shown func(client.Object) bool) {
	for cause, list := range map[string]func(context.Context, client.Reader) ([]*clusterv1.Machine, error){
		"Paused": mhcspec.PausedMachines, "SkipRemediation": mhcspec.SkippedMachines,
	} {
		machines, err := list(ctx, r.Cache)
		if err != nil {
			ctrl.Log.V(1).Info("Machines that are left alone are left out of the metrics", "error", err.Error())
			return
		}
		for i := range machines {
			if shown(machines[i]) {
				s.Add(machinesPausedGauge, 1, machines[i].Namespace, machines[i].Spec.ClusterName, cause)
			}
		}
	}
}

// showDeletions shows of each Cluster the machine that has been in deletion the longest, whether a MachineHealthCheck selects it or not.
func (r *Reader) showDeletions(ctx context.Context, s *metrics.Samples, shown func(client.Object) bool) {
	machines, err := mhcspec.MachinesInDeletion(ctx, r.Cache)
	if err != nil {
		ctrl.Log.V(1).Info("Machines that are being deleted are left out of the metrics", "error", err.Error())
		return
	}
	oldest := map[client.ObjectKey]*clusterv1.Machine{}
	for _, machine := range machines {
		cluster := mhcspec.ClusterOf(machine)
		if before := oldest[cluster]; shown(machine) && (before == nil || deletedBefore(machine, before)) {
			oldest[cluster] = machine
		}
	}
	for cluster, machine := range oldest {
		s.SetTime(deletingOldestGauge, machine.DeletionTimestamp.Time, cluster.Namespace, cluster.Name, machine.Name)
	}
}

// deletedBefore sorts machines by when their deletion began, and then by name, so that series are stable.
func deletedBefore(a, b *clusterv1.Machine) bool {
	return cmp.Or(a.DeletionTimestamp.Compare(b.DeletionTimestamp.Time), cmp.Compare(a.Name, b.Name)) < 0
}

func (o *snapshot) show(s *metrics.Samples, namespace, name string) {
	for v, n := range o.verdicts {
		s.Set(machinesGauge, float64(n), namespace, name, v.status, v.reason)
	}
	for reason, idle := range o.idle {
		s.Set(waitingGauge, float64(idle.Count), namespace, name, reason)
		s.SetTime(waitingOldestGauge, idle.Since, namespace, name, reason)
	}
	s.Set(pausedGauge, metrics.Bool(o.paused != ""), namespace, name)
	s.Set(shortCircuitGauge, metrics.Bool(o.gate.short), namespace, name)
	if o.paused != "" {
		s.SetTime(pausedSinceGauge, o.pausedSince, namespace, name, o.paused)
		return
	}
	o.gate.show(s, namespace, name)
	if o.slots >= 0 {
		s.Set(slotsGauge, float64(o.slots), namespace, name)
	}
	s.Set(slotsTakenGauge, float64(o.taken), namespace, name)
	for _, pace := range o.paces {
		s.Set(pacingLimitGauge, float64(pace.Limit), namespace, name, pace.Domain)
		s.Set(unprovenGauge, float64(pace.Unproven), namespace, name, pace.Domain)
		s.SetTime(cooldownGauge, pace.RestsUntil, namespace, name, pace.Domain)
	}
}

func (g gateState) show(s *metrics.Samples, namespace, name string) {
	s.Set(gateOpenGauge, metrics.Bool(g.open), namespace, name)
	s.Set(unhealthyGauge, float64(g.unhealthy), namespace, name)
	if g.most >= 0 {
		s.Set(maxUnhealthyGauge, float64(g.most), namespace, name)
	}
	if !g.open {
		s.SetTime(gateClosedGauge, g.since, namespace, name, g.reason)
	}
}
