package general

import (
	"cmp"
	"context"
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
)

// checker checks one object by a rule.
type checker[O client.Object] struct {
	// kind is the word for the object, and missing the word if it is not found.
	kind, missing, name string
	rule                checks.Rule[O]
	empty               func() O
	client              client.Client
}

// seed checks an object in the cluster of the extension object.
type seed[O client.Object] struct{ checker[O] }

// InjectSourceClient implements gardener.SourceClient.
func (s *seed[O]) InjectSourceClient(c client.Client) { s.client = c }

// DeepCopy implements gardener.HealthCheck.
func (s *seed[O]) DeepCopy() gardener.HealthCheck { c := *s; return &c }

// shoot checks an object in the cluster of the shoot.
type shoot[O client.Object] struct{ checker[O] }

// InjectTargetClient implements gardener.TargetClient.
func (s *shoot[O]) InjectTargetClient(c client.Client) { s.client = c }

// DeepCopy implements gardener.HealthCheck.
func (s *shoot[O]) DeepCopy() gardener.HealthCheck { c := *s; return &c }

// Name is the name of the check in metrics.
func (c *checker[O]) Name() string { return c.kind + " " + c.name }

// SetLoggerSuffix implements gardener.HealthCheck. It does nothing: the engine logs.
func (c *checker[O]) SetLoggerSuffix(string, string) {}

// Check implements gardener.HealthCheck.
func (c *checker[O]) Check(ctx context.Context, request types.NamespacedName) (*gardener.SingleCheckResult, error) {
	obj := c.empty()
	err := c.client.Get(ctx, client.ObjectKey{Namespace: request.Namespace, Name: c.name}, obj)
	if apierrors.IsNotFound(err) {
		return &gardener.SingleCheckResult{
			Status: gardencorev1beta1.ConditionFalse,
			Detail: fmt.Sprintf("%s %q in namespace %q not found", cmp.Or(c.missing, c.kind), c.name, request.Namespace),
		}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to retrieve %s %q in namespace %q: %w", c.kind, c.name, request.Namespace, err)
	}
	// Gardener tolerates nothing here.
	found := checks.Tolerate(0, c.rule)(obj)
	if found.Status == healthcheck.True {
		return &gardener.SingleCheckResult{Status: gardencorev1beta1.ConditionTrue}, nil
	}
	result := &gardener.SingleCheckResult{
		Status: gardencorev1beta1.ConditionFalse,
		Detail: fmt.Sprintf("%s %q in namespace %q is unhealthy: %s", c.kind, c.name, request.Namespace, found.Message),
	}
	for _, code := range found.Codes {
		result.Codes = append(result.Codes, gardencorev1beta1.ErrorCode(code))
	}
	return result, nil
}
