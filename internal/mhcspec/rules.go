package mhcspec

import (
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// ResumedAtAnnotation on a MachineHealthCheck is the RFC 3339 time at which its last pause ended. No clock starts before it,
// so a Machine that was sick during the pause gets its full timeout again.
const ResumedAtAnnotation = "sickbay.dev/resumed-at"

// ProvisioningTimeoutAnnotation on a MachineHealthCheck is how long a Machine may be in phase Provisioning, as a Go duration.
const ProvisioningTimeoutAnnotation = "sickbay.dev/provisioning-timeout"

// HostErrorTimeoutAnnotation on a MachineHealthCheck is how long the bare-metal host of a Machine may have an error, as a Go
// duration.
const HostErrorTimeoutAnnotation = "sickbay.dev/host-error-timeout"

// Rules are the rules of a MachineHealthCheck, parsed once.
type Rules struct {
	// StartupTimeout is how long a Node may take to appear; 0 means forever.
	StartupTimeout time.Duration
	// ProvisioningTimeout is how long a Machine may be in phase Provisioning; 0 means forever.
	ProvisioningTimeout time.Duration
	// HostErrorTimeout is how long the host of a Machine may have an error; 0 means forever.
	HostErrorTimeout  time.Duration
	MachineConditions []ConditionRule
	NodeConditions    []ConditionRule
	// ResumedAt is when the last pause ended; zero if there was none.
	ResumedAt time.Time
	// Paused is the condition Paused; nil if it is not about Sickbay.
	Paused *metav1.Condition
	// Stopped says why it judges nothing now, if other MachineHealthChecks select the Machine, too; empty if it judges.
	Stopped string
}

// ConditionRule says that a condition of a type is unhealthy once it has had a status for the timeout.
type ConditionRule struct {
	Type    string
	Status  string
	Timeout time.Duration
	// Trust says when a Node condition is believed.
	Trust Trust
}

// RulesOf reads the rules of mhc. It applies the same defaults as Cluster API's webhooks. It ignores an annotation that cannot
// be parsed; machinehealthcheck refuses to repair anything then.
func RulesOf(mhc *clusterv1.MachineHealthCheck) Rules {
	checks := &mhc.Spec.Checks
	rules := Rules{
		StartupTimeout: startupTimeout(checks),
		MachineConditions: conditionRules(checks.UnhealthyMachineConditions, func(c clusterv1.UnhealthyMachineCondition) ConditionRule {
			return ConditionRule{Type: c.Type, Status: string(c.Status), Timeout: seconds(c.TimeoutSeconds)}
		}),
		NodeConditions: conditionRules(checks.UnhealthyNodeConditions, func(c clusterv1.UnhealthyNodeCondition) ConditionRule {
			return ConditionRule{Type: string(c.Type), Status: string(c.Status), Timeout: seconds(c.TimeoutSeconds)}
		}),
	}
	if mhc.Annotations[clusterv1.PausedAnnotation] != HandedOverValue {
		// Otherwise the condition is about Cluster API's controller.
		rules.Paused = meta.FindStatusCondition(mhc.Status.Conditions, clusterv1.PausedCondition)
	}
	if resumedAt, err := ResumedAt(mhc); err == nil {
		rules.ResumedAt = resumedAt
	}
	if timeout, err := ProvisioningTimeout(mhc); err == nil {
		rules.ProvisioningTimeout = timeout
	}
	if timeout, err := HostErrorTimeout(mhc); err == nil {
		rules.HostErrorTimeout = timeout
	}
	if signals, err := Signals(mhc); err == nil && signals != nil {
		for i := range rules.NodeConditions {
			rules.NodeConditions[i].Trust = signals[rules.NodeConditions[i].Type]
		}
	}
	return rules
}

// SharedRulesOf reads the rules of mhc for a Machine that others select, too.
func SharedRulesOf(mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster) Rules {
	rules := RulesOf(mhc)
	if paused := Paused(mhc, cluster); len(paused) > 0 {
		rules.Stopped = "MachineHealthCheck " + mhc.Name + " is paused: " + strings.Join(paused, ", ")
	}
	return rules
}

// conditionRules allocates only once, because the rules are read for each judgement of a Machine.
func conditionRules[C any](conditions []C, read func(C) ConditionRule) []ConditionRule {
	if len(conditions) == 0 {
		return nil
	}
	rules := make([]ConditionRule, len(conditions))
	for i, c := range conditions {
		rules[i] = read(c)
	}
	return rules
}

// ResumedAt returns when the last pause of mhc ended; zero if there was none.
func ResumedAt(mhc *clusterv1.MachineHealthCheck) (time.Time, error) {
	value, ok := mhc.Annotations[ResumedAtAnnotation]
	if !ok {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, value)
}

// ProvisioningTimeout returns how long a Machine of mhc may be in phase Provisioning; 0 if it is not set.
func ProvisioningTimeout(mhc *clusterv1.MachineHealthCheck) (time.Duration, error) {
	return duration(mhc, ProvisioningTimeoutAnnotation)
}

// HostErrorTimeout returns how long the host of a Machine of mhc may have an error; 0 if it is not set.
func HostErrorTimeout(mhc *clusterv1.MachineHealthCheck) (time.Duration, error) {
	return duration(mhc, HostErrorTimeoutAnnotation)
}

func duration(mhc *clusterv1.MachineHealthCheck, annotation string) (time.Duration, error) {
	value, ok := mhc.Annotations[annotation]
	if !ok {
		return 0, nil
	}
	timeout, err := time.ParseDuration(value)
	if err == nil && timeout < 0 {
		err = errors.New("it is negative")
	}
	return timeout, err
}

func startupTimeout(checks *clusterv1.MachineHealthCheckChecks) time.Duration {
	if checks.NodeStartupTimeoutSeconds == nil {
		return seconds(&clusterv1.DefaultNodeStartupTimeoutSeconds)
	}
	return seconds(checks.NodeStartupTimeoutSeconds)
}

func seconds(n *int32) time.Duration {
	if n == nil {
		return 0
	}
	return time.Duration(*n) * time.Second
}
