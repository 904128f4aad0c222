package gardener

import (
	"context"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HealthCheck is what the checks of all generations of Gardener's library have in common.
// If a check has more methods, they are used: those that inject clients, and DeepCopy.
type HealthCheck interface {
	// Check judges what belongs to the extension object with this key.
	Check(ctx context.Context, request types.NamespacedName) (*SingleCheckResult, error)
	// SetLoggerSuffix sets the provider and the kind of extension object for the check's
	// logger.
	SetLoggerSuffix(provider, extensionKind string)
}

// SourceClient is a check that reads from the cluster of the extension object.
type SourceClient interface {
	InjectSourceClient(c client.Client)
}

// TargetClient is a check that reads from the cluster of the shoot.
type TargetClient interface {
	InjectTargetClient(c client.Client)
}

// SeedClient is the name of SourceClient until Gardener 1.135.
type SeedClient interface {
	InjectSeedClient(c client.Client)
}

// ShootClient is the name of TargetClient until Gardener 1.135.
type ShootClient interface {
	InjectShootClient(c client.Client)
}

// SingleCheckResult is the answer of a HealthCheck.
type SingleCheckResult struct {
	// Status is the verdict.
	Status gardencorev1beta1.ConditionStatus
	// Reason existed until Gardener 1.20, and appears in the texts of that time.
	Reason string
	// Detail says what is wrong.
	Detail string
	// Codes classify the problem.
	Codes []gardencorev1beta1.ErrorCode
	// ProgressingThreshold is how long the result may be Progressing. Without it, it is
	// False at once.
	ProgressingThreshold *time.Duration
}

// Reasons of conditions.
const (
	// ReasonSuccessful means that all checks passed.
	ReasonSuccessful = "HealthCheckSuccessful"
	// ReasonUnsuccessful means that a check failed, or has progressed for too long.
	ReasonUnsuccessful = "HealthCheckUnsuccessful"
	// ReasonProgressing means that a check progresses.
	ReasonProgressing = "HealthCheckProgressing"
	// ReasonCheckError means that a check could not be carried out.
	ReasonCheckError = gardencorev1beta1.ConditionCheckError
)
