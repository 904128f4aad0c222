package gardener

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// PreCheckFunc reports whether to run a check. Parent is a [*Cluster] for an object of
// class shoot, a Garden for one of class garden, and nil for others.
type PreCheckFunc = func(ctx context.Context, c client.Client, obj client.Object, parent any) bool

// PreCheckOfCluster adapts a pre-check from before Gardener 1.136. It returns false if
// there is no Cluster.
func PreCheckOfCluster(preCheck func(ctx context.Context, c client.Client, obj client.Object, cluster *Cluster) bool) PreCheckFunc {
	return func(ctx context.Context, c client.Client, obj client.Object, parent any) bool {
		cluster, ok := parent.(*Cluster)
		return ok && preCheck(ctx, c, obj, cluster)
	}
}

// ErrorCodeCheckFunc returns the codes of a problem by its text.
type ErrorCodeCheckFunc = func(err error) []gardencorev1beta1.ErrorCode

// ConditionTypeToHealthCheck is a check and the type of its condition.
type ConditionTypeToHealthCheck struct {
	ConditionType      string
	PreCheckFunc       PreCheckFunc
	HealthCheck        HealthCheck
	ErrorCodeCheckFunc ErrorCodeCheckFunc
}

// registered is a check as the engine runs it.
type registered struct {
	ConditionTypeToHealthCheck

	rules         Rules
	unknownPasses bool
}

// Check implements healthcheck.Check. It turns errors into Unknown results: as in Gardener,
// the next attempt is after the sync period.
func (r registered) Check(ctx context.Context, in healthcheck.Input[client.Object]) (healthcheck.Result, error) {
	if err := ctx.Err(); err != nil {
		return healthcheck.Result{}, err
	}
	belongs, _ := in.Env.Parent.(*parent)
	if belongs == nil {
		return healthcheck.Result{}, errors.New("there is no parent")
	}
	if belongs.hibernated {
		return healthcheck.Result{Status: healthcheck.True, Reason: reasonHibernated, Message: messageHibernated}, nil
	}
	if r.PreCheckFunc != nil {
		wanted, err := r.wanted(ctx, in, belongs)
		if err != nil {
			return failed(err), nil
		}
		if !wanted {
			return r.notWanted(), nil
		}
	}
	answer, err := runOnce(ctx, r.HealthCheck, in.Object, in.Env)
	if err != nil {
		return failed(err), nil
	}
	return r.read(*answer, in.Now), nil
}

func (r registered) wanted(ctx context.Context, in healthcheck.Input[client.Object], belongs *parent) (bool, error) {
	if belongs.err != nil {
		return false, belongs.err
	}
	source, _, err := clientsOf(healthcheck.Env{Source: in.Env.Source})
	if err != nil {
		return false, err
	}
	// The pre-check may change its copy of the object.
	return r.PreCheckFunc(ctx, source, in.Object.DeepCopyObject().(client.Object), belongs.preCheck), nil
}

func (r registered) notWanted() healthcheck.Result {
	if r.rules == BestRules {
		return healthcheck.Result{Status: healthcheck.Skipped, Reason: "PreCheck"}
	}
	return healthcheck.Result{Status: healthcheck.True, Reason: ReasonSuccessful}
}

func (r registered) read(answer SingleCheckResult, now time.Time) healthcheck.Result {
	if r.unknownPasses && (answer.Status == gardencorev1beta1.ConditionUnknown || answer.Status == "") {
		answer.Status = gardencorev1beta1.ConditionTrue
	}
	if r.ErrorCodeCheckFunc != nil {
		codes := r.ErrorCodeCheckFunc(errors.New(answer.Detail))
		answer.Codes = append(slices.Clone(answer.Codes), codes...)
	}
	if r.rules == BestRules {
		return limited(answer.result())
	}
	return untilConcluded(answer.result(), now)
}

func failed(err error) healthcheck.Result {
	return healthcheck.Result{Status: healthcheck.Unknown, Reason: ReasonCheckError, Message: err.Error()}
}

// undisturbed is the precheck of all conditions. It leaves them alone while an object is
// being deleted or migrated, and while it is unknown whether its shoot is hibernated.
func undisturbed(_ context.Context, in healthcheck.Input[client.Object]) (healthcheck.Applicability, error) {
	extension, err := accessor(in.Object)
	if err != nil {
		return healthcheck.LeaveAlone, err
	}
	if isLeaving(extension) {
		return healthcheck.LeaveAlone, nil
	}
	belongs, _ := in.Env.Parent.(*parent)
	if belongs != nil && belongs.err != nil && classOf(extension) == extensionsv1alpha1.ExtensionClassShoot {
		return healthcheck.LeaveAlone, fmt.Errorf("getting the cluster: %w", belongs.err)
	}
	return healthcheck.Applies, nil
}
