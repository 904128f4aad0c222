package v1alpha1

import "time"

// The defaults of a RemediationPlan and its steps, as in the CustomResourceDefinitions; the functions below apply them
// to objects that were made without those.
const (
	DefaultStepAttempts  int32 = 1
	DefaultProbation           = 5 * time.Minute
	DefaultRelapseWindow       = 7 * 24 * time.Hour
	DefaultPlanMode            = ModeAct
)

// MaxAttempts returns how often the step is tried before the next one follows, at least once.
func (s RemediationStep) MaxAttempts() int32 { return max(DefaultStepAttempts, s.Attempts) }

// Timeout returns how long one attempt of the step may take. It is 0 for a step without a timeout, such as one with the
// action Hold.
func (s RemediationStep) Timeout() time.Duration { return secondsOr(s.TimeoutSeconds, 0) }

// Probation returns how long the machine has to be healthy without a break before it counts as repaired. It is 0 for a
// record that says nothing about it: nobody but the plan that was copied into the record asks for a probation.
func (s MachineRemediationSpec) Probation() time.Duration { return secondsOr(s.ProbationSeconds, 0) }

// Probation returns how long a machine has to be healthy without a break before it counts as repaired; 0 asks for none.
func (p RemediationPlan) Probation() time.Duration {
	return secondsOr(p.ProbationSeconds, DefaultProbation)
}

// RelapseWindow returns for how long a repair is remembered; 0 remembers none.
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

// secondsOr returns n as a duration, which may be 0, or the default for n that is absent or makes no sense.
func secondsOr(n *int32, otherwise time.Duration) time.Duration {
	if n == nil || *n < 0 {
		return otherwise
	}
	return time.Duration(*n) * time.Second
}
