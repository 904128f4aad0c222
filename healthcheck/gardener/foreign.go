package gardener

import (
	"context"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
)

// ForeignResult is a SingleCheckResult as Gardener's module declares it.
type ForeignResult interface {
	~struct {
		Status               gardencorev1beta1.ConditionStatus
		Detail               string
		Codes                []gardencorev1beta1.ErrorCode
		ProgressingThreshold *time.Duration
	}
}

// ForeignCheck is a HealthCheck as Gardener's module declares it.
type ForeignCheck[R ForeignResult] interface {
	Check(ctx context.Context, request types.NamespacedName) (*R, error)
	SetLoggerSuffix(provider, extensionKind string)
}

// Of adapts a check that is compiled against Gardener's own module. It gets a function that makes
// the check, because each run needs one of its own: since 1.133, checks of that module cannot be
// copied. This package does not import that module:
//
//	gardener.Of(func() *general.ManagedResourceHealthChecker {
//		return general.CheckManagedResource("extension-worker-mcm-shoot")
//	})
func Of[R ForeignResult, C ForeignCheck[R]](fresh func() C) HealthCheck {
	return &foreign[R, C]{fresh(), fresh}
}

// foreign wraps a check of another module.
type foreign[R ForeignResult, C ForeignCheck[R]] struct {
	check C
	fresh func() C
}

// DeepCopy implements HealthCheck.
func (f *foreign[R, C]) DeepCopy() HealthCheck { return Of[R](f.fresh) }

// SetLoggerSuffix implements HealthCheck.
func (f *foreign[R, C]) SetLoggerSuffix(provider, kind string) {
	f.check.SetLoggerSuffix(provider, kind)
}

// foreignResult is the underlying type of each ForeignResult.
type foreignResult = struct {
	Status               gardencorev1beta1.ConditionStatus
	Detail               string
	Codes                []gardencorev1beta1.ErrorCode
	ProgressingThreshold *time.Duration
}

// Check implements HealthCheck.
func (f *foreign[R, C]) Check(ctx context.Context, request types.NamespacedName) (*SingleCheckResult, error) {
	answer, err := f.check.Check(ctx, request)
	if answer == nil {
		return nil, err
	}
	r := foreignResult(*answer)
	return &SingleCheckResult{Status: r.Status, Detail: r.Detail, Codes: r.Codes, ProgressingThreshold: r.ProgressingThreshold}, err
}

// taker returns the value into which the clients are injected.
func (f *foreign[R, C]) taker() any { return f.check }
