package gardener

import (
	"context"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HealthCheck is what the checks of all generations have in common. Whatever else one
// has, it is used for: the clients that it takes, and DeepCopy.
type HealthCheck interface {
	// Check looks at what belongs to the extension object with this key.
	Check(ctx context.Context, request types.NamespacedName) (*SingleCheckResult, error)
	// SetLoggerSuffix says for which provider and kind of extension object it works.
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

// SeedClient is SourceClient by its name until Gardener 1.135.
type SeedClient interface {
	InjectSeedClient(c client.Client)
}

// ShootClient is TargetClient by its name until Gardener 1.135.
type ShootClient interface {
	InjectShootClient(c client.Client)
}

// SingleCheckResult is the answer of a HealthCheck.
type SingleCheckResult struct {
	// Status is the verdict.
	Status gardencorev1beta1.ConditionStatus
	// Reason was there until Gardener 1.20, and is in the texts of that time.
	Reason string
	// Detail says what is wrong.
	Detail string
	// Codes classify it.
	Codes []gardencorev1beta1.ErrorCode
	// ProgressingThreshold is how long it may be Progressing. Without it the result is
	// False at once.
	ProgressingThreshold *time.Duration
}

// The reasons of conditions.
const (
	// ReasonSuccessful is given when all checks passed.
	ReasonSuccessful = "HealthCheckSuccessful"
	// ReasonUnsuccessful is given when a check failed, or has progressed for too long.
	ReasonUnsuccessful = "HealthCheckUnsuccessful"
	// ReasonProgressing is given when a check progresses.
	ReasonProgressing = "HealthCheckProgressing"
	// ReasonCheckError is given when a check could not be carried out.
	ReasonCheckError = gardencorev1beta1.ConditionCheckError
)
