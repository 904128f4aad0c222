package gardener

import (
	"context"
	"fmt"
	"reflect"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HealthCheck is what the checks of Gardener's library had in common until 1.132, apart from the
// methods that inject clients, which are options. Later ones lack DeepCopy; [Of] needs none.
type HealthCheck interface {
	// Check judges what belongs to the extension object with this key.
	Check(ctx context.Context, request types.NamespacedName) (*SingleCheckResult, error)
	// SetLoggerSuffix sets the provider and the kind of extension object for the check's
	// logger.
	SetLoggerSuffix(provider, extensionKind string)
	// DeepCopy returns a copy for one run, which gets the clients of that run. It must share
	// with the original nothing that keeps clients: a check that wraps another copies that,
	// too.
	DeepCopy() HealthCheck
}

// validCopies returns an error if a check cannot have made a copy of its own.
func validCopies(check HealthCheck) error {
	made, t := check.DeepCopy(), reflect.TypeOf(check)
	if reflect.TypeOf(made) != t {
		return fmt.Errorf("DeepCopy of %T returns %T: a check that wraps or embeds another needs a DeepCopy of its own", check, made)
	}
	// All pointers to values without a size may be equal.
	if t.Kind() == reflect.Pointer && t.Elem().Size() > 0 && made == check {
		return fmt.Errorf("DeepCopy of %T returns the check itself, so that runs would share their clients", check)
	}
	return nil
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
