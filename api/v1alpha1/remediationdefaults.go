package v1alpha1

import "time"

// The defaults of a RemediationPlan and its steps, as in the CustomResourceDefinitions; the functions below apply them
// to objects that were made without those.
const (
	// DefaultStepAttempts is how often a step is tried.
	DefaultStepAttempts int32 = 1
	// DefaultProbation is how long a machine has to be healthy without a break before it counts as repaired.
	DefaultProbation = 5 * time.Minute
	// DefaultRelapseWindow is how long Sickbay remembers a repair.
	DefaultRelapseWindow = 7 * 24 * time.Hour
	// DefaultPlanMode is how much of a plan is carried out.
	DefaultPlanMode = ModeAct
)

// MaxAttempts returns how often the step is tried before the next one follows, at least once.
func (s RemediationStep) MaxAttempts() int32 { return max(DefaultStepAttempts, s.Attempts) }

// Timeout returns how long one attempt of the step may take, or 0 for a step without a timeout: one with the action
// Hold, which a person ends.
func (s RemediationStep) Timeout() time.Duration { return secondsOr(s.TimeoutSeconds, 0) }

// Probation returns how long the machine has to be healthy without a break before it counts as repaired. It is 0 if the
// record does not say: the record copies the default of its RemediationPlan, and built-in plans ask for no probation.
func (s MachineRemediationSpec) Probation() time.Duration { return secondsOr(s.ProbationSeconds, 0) }

// Probation returns how long a machine has to be healthy without a break before it counts as repaired; 0 asks for none.
func (p RemediationPlan) Probation() time.Duration {
	return secondsOr(p.ProbationSeconds, DefaultProbation)
}

// RelapseWindow returns how long Sickbay remembers a repair; 0 means not at all.
func (p RemediationPlan) RelapseWindow() time.Duration {
	return secondsOr(p.RelapseWindowSeconds, DefaultRelapseWindow)
}

// EffectiveMode returns how much of the plan is carried out.
func (p RemediationPlan) EffectiveMode() PlanMode {
	if p.Mode == "" {
		return DefaultPlanMode
	}
	return p.Mode
}

// secondsOr returns n seconds, which may be 0, or the default if n is absent or makes no sense.
func secondsOr(n *int32, otherwise time.Duration) time.Duration {
	if n == nil || *n < 0 {
		return otherwise
	}
	return time.Duration(*n) * time.Second
}
