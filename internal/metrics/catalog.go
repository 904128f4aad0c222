package metrics

// Types of metrics.
const (
	Counter   = "counter"
	GaugeType = "gauge"
	Histogram = "histogram"
)

// Entry is what the reference says about a metric in addition to its help text.
type Entry struct {
	Name, Type string
	// Series says how many series there may be.
	Series string
	// Query is a query that people use.
	Query string
}

// What limits the number of series.
const (
	one          = "1"
	perCheck     = "1 per MachineHealthCheck"
	perReason    = "1 per MachineHealthCheck and reason"
	perDomain    = "1 per owner or failure domain with recent repairs"
	perCluster   = "1 per workload cluster"
	perSignal    = "1 per ClusterVersion, MachineConfigPool and Cluster that is watched"
	perPause     = "1 per MachineHealthCheck that is paused"
	perCondition = "1 per condition and check"
	perVerdict   = "1 per condition, status and reason"
)

// Catalog has an entry for each metric of Sickbay, by name. A test compares it with the registered metrics.
var Catalog = []Entry{
	{"sickbay_build_info", GaugeType, one, `count by (version) (sickbay_build_info)`},
	{"sickbay_check_duration_seconds", Histogram, "10 per condition and check", `histogram_quantile(0.99, sum by (le, check) (rate(sickbay_check_duration_seconds_bucket[5m])))`},
	{"sickbay_check_results_total", Counter, perCondition, `sum by (check, status) (rate(sickbay_check_results_total[5m]))`},
	{"sickbay_condition_oldest_transition_timestamp_seconds", GaugeType, perVerdict, `time() - sickbay_condition_oldest_transition_timestamp_seconds{status!="True"} > 3600`},
	{"sickbay_condition_transitions_total", Counter, perCondition, `sum by (from, to) (increase(sickbay_condition_transitions_total[1h]))`},
	{"sickbay_conditions", GaugeType, perVerdict, `sum by (condition, status, reason) (sickbay_conditions)`},
	{"sickbay_conditions_overwritten_total", Counter, perCondition, `sum by (condition, writer) (increase(sickbay_conditions_overwritten_total[1h])) > 3`},
	{"sickbay_detection_delay_seconds", Histogram, "15", `histogram_quantile(0.99, sum by (le) (rate(sickbay_detection_delay_seconds_bucket[1h])))`},
	{"sickbay_external_remediation_unsolved", GaugeType, "1 per such machine of OpenShift", `sickbay_external_remediation_unsolved == 1`},
	{"sickbay_gate_closed_timestamp_seconds", GaugeType, "1 per MachineHealthCheck whose gate is closed", `time() - sickbay_gate_closed_timestamp_seconds{reason!="NoneSick"} > 900`},
	{"sickbay_gate_open", GaugeType, perCheck, `sickbay_gate_open == 0`},
	{"sickbay_hold_until_timestamp_seconds", GaugeType, "1 per hold", `sickbay_hold_until_timestamp_seconds - time() > 7 * 86400`},
	{"sickbay_leader", GaugeType, "1 per controller that is to run", `max by (controller) (sickbay_leader) == 0`},
	{"sickbay_machines", GaugeType, "1 per MachineHealthCheck, verdict and reason", `sum by (verdict) (sickbay_machines)`},
	{"sickbay_machines_deleting_oldest_timestamp_seconds", GaugeType, "1 per Cluster with a machine that is being deleted", `time() - sickbay_machines_deleting_oldest_timestamp_seconds > 3600`},
	{"sickbay_machines_paused", GaugeType, "at most 2 per Cluster", `sum(sickbay_machines_paused)`},
	{"sickbay_machines_waiting", GaugeType, perReason, `sum by (reason) (sickbay_machines_waiting)`},
	{"sickbay_machines_waiting_oldest_timestamp_seconds", GaugeType, perReason, `time() - sickbay_machines_waiting_oldest_timestamp_seconds > 3600`},
	{"sickbay_max_unhealthy_machines", GaugeType, "1 per MachineHealthCheck with a limit", `sickbay_unhealthy_machines / sickbay_max_unhealthy_machines`},
	{"sickbay_pacing_cooldown_until_timestamp_seconds", GaugeType, perDomain, `sickbay_pacing_cooldown_until_timestamp_seconds > time()`},
	{"sickbay_pacing_limit", GaugeType, perDomain, `sickbay_pacing_limit`},
	{"sickbay_pacing_unproven", GaugeType, perDomain, `sickbay_pacing_unproven >= sickbay_pacing_limit`},
	{"sickbay_paused", GaugeType, perCheck, `sum(sickbay_paused)`},
	{"sickbay_paused_timestamp_seconds", GaugeType, perPause, `time() - sickbay_paused_timestamp_seconds{cause!="Upgrade"} > 86400`},
	{"sickbay_reboot_host_off_timestamp_seconds", GaugeType, "1 per host that is off", `time() - sickbay_reboot_host_off_timestamp_seconds{phase="Holding"} > 86400`},
	{"sickbay_reboot_keys_lost_total", Counter, one, `increase(sickbay_reboot_keys_lost_total[1h])`},
	{"sickbay_reboot_power_off_seconds", Histogram, "14", `histogram_quantile(0.9, sum by (le) (rate(sickbay_reboot_power_off_seconds_bucket[1d])))`},
	{"sickbay_reboots", GaugeType, "at most 10 per namespace", `sum by (phase) (sickbay_reboots)`},
	{"sickbay_reboots_total", Counter, "10", `sum by (reason) (increase(sickbay_reboots_total{phase="Failed"}[1d]))`},
	{"sickbay_remediation_attempts_total", Counter, "10 per step of the plans, 11 per Replace", `sum by (step, outcome) (increase(sickbay_remediation_attempts_total[1d]))`},
	{"sickbay_remediation_duration_seconds", Histogram, "80: 20 per part", `histogram_quantile(0.9, sum by (le, part) (rate(sickbay_remediation_duration_seconds_bucket[1d])))`},
	{"sickbay_remediation_open_timestamp_seconds", GaugeType, "1 per open remediation, 1000 at most", `time() - sickbay_remediation_open_timestamp_seconds{slot="true"}`},
	{"sickbay_remediation_relapses_total", Counter, one, `increase(sickbay_remediation_relapses_total[1d])`},
	{"sickbay_remediations", GaugeType, "1 per MachineHealthCheck, phase and reason", `sum by (phase, reason) (sickbay_remediations)`},
	{"sickbay_remediations_ended_total", Counter, "12", `sum by (outcome) (increase(sickbay_remediations_ended_total[1d]))`},
	{"sickbay_remediations_oldest_timestamp_seconds", GaugeType, "as many as sickbay_remediations", `time() - sickbay_remediations_oldest_timestamp_seconds{phase="Held"}`},
	{"sickbay_short_circuit", GaugeType, perCheck, `sickbay_short_circuit == 1`},
	{"sickbay_slots", GaugeType, "1 per MachineHealthCheck that bounds them", `sickbay_slots_taken / sickbay_slots`},
	{"sickbay_slots_taken", GaugeType, perCheck, `sum(sickbay_slots_taken)`},
	{"sickbay_unhealthy_machines", GaugeType, perCheck, `sum(sickbay_unhealthy_machines)`},
	{"sickbay_upgrade_in_progress", GaugeType, perSignal, `sickbay_upgrade_in_progress == 1`},
	{"sickbay_upgrade_pause_too_long", GaugeType, perCheck, `sickbay_upgrade_pause_too_long == 1`},
	{"sickbay_upgrade_paused", GaugeType, perCheck, `sum(sickbay_upgrade_paused)`},
	{"sickbay_upgrade_paused_timestamp_seconds", GaugeType, perPause, `time() - sickbay_upgrade_paused_timestamp_seconds`},
	{"sickbay_upgrade_signal_readable", GaugeType, perSignal, `sickbay_upgrade_signal_readable == 0`},
	{"sickbay_workload_cluster_reachable", GaugeType, perCluster, `count(sickbay_workload_cluster_reachable == 0)`},
	{"sickbay_workload_cluster_unreadable_timestamp_seconds", GaugeType, "1 per workload cluster that cannot be read", `time() - sickbay_workload_cluster_unreadable_timestamp_seconds`},
}
