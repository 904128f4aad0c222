package soak

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

const (
	// watched is how long a plan only watches a machine, replaceIn how long a replacement may take, and provenIn how long the
	// replacement must stay healthy.
	watched   = time.Second
	replaceIn = time.Minute
	provenIn  = time.Second
	// chain is how many successive replacements of one machine are allowed.
	chain = 10
)

// givePlans gives every other cluster a plan of its own, and paces every other of those plans. The rest use the built-in plan.
func (s *soak) givePlans(ctx context.Context) error {
	for n := 1; n < s.Shape.Clusters; n += 2 {
		cluster := s.cluster(n)
		plan := newPlan(cluster, n%4 == 3)
		if err := s.fleet.World.Client().Create(ctx, plan); err != nil {
			return fmt.Errorf("creating the plan of %s: %w", cluster, err)
		}
		check := &clusterv1.MachineHealthCheck{}
		if err := s.fleet.World.Client().Get(ctx, cluster, check); err != nil {
			return fmt.Errorf("getting the health check of %s: %w", cluster, err)
		}
		before := check.DeepCopy()
		check.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: plan.Name,
		}
		if err := s.fleet.World.Client().Patch(ctx, check, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("giving a plan to the health check of %s: %w", cluster, err)
		}
	}
	return nil
}

// newPlan returns a plan that first watches, and then replaces up to 30% of the machines at once.
func newPlan(cluster client.ObjectKey, paced bool) *v1alpha1.MachineRemediationTemplate {
	plan := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: cluster.Name}}
	spec := &plan.Spec.Template.Spec
	spec.MaxInFlight = new(intstr.FromString("30%"))
	spec.ProbationSeconds = seconds(provenIn)
	spec.Steps = []v1alpha1.RemediationStep{
		{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: seconds(watched)},
		{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: seconds(replaceIn), Attempts: chain},
	}
	if paced {
		spec.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	}
	return plan
}

func seconds(d time.Duration) *int32 { return new(int32(d / time.Second)) }
