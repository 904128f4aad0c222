package explore

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// standIn admits machines until the real controller does.
type standIn struct {
	client client.Client
	live   client.Reader
	clock  clock.PassiveClock
}

// Reconcile implements reconcile.Reconciler.
func (s *standIn) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	mhc, cluster := &clusterv1.MachineHealthCheck{}, &clusterv1.Cluster{}
	if err := s.client.Get(ctx, req.NamespacedName, mhc); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	if err := s.client.Get(ctx, key, cluster); err != nil {
		return ctrl.Result{}, err
	}
	if len(targets.Paused(mhc, cluster)) > 0 {
		return ctrl.Result{}, nil
	}
	config, _ := admission.ParseConfig(mhc, nil)
	open, err := record.LiveOpenOfCluster(ctx, s.live, key)
	if err != nil {
		return ctrl.Result{}, err
	}
	machines, err := targets.MachinesOf(ctx, s.client, key)
	if err != nil {
		return ctrl.Result{}, err
	}
	inFlight := map[types.UID]bool{}
	for i := range open {
		if ladder.HasSlot(&open[i]) {
			inFlight[open[i].Spec.MachineRef.UID] = true
		}
	}
	free := func() bool { return config.MaxInFlight == nil || len(inFlight) < config.MaxInFlight.IntValue() }
	var result ctrl.Result
	for i := range machines {
		m := &machines[i]
		verdict := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineHealthCheckSucceededCondition)
		if verdict == nil || verdict.Status != metav1.ConditionFalse || !m.DeletionTimestamp.IsZero() || !targets.IsTarget(m) || !free() {
			continue
		}
		if err := s.admit(ctx, mhc, cluster, m, verdict, open, inFlight, config, &result); err != nil {
			return ctrl.Result{}, err
		}
	}
	return result, nil
}

func (s *standIn) admit(ctx context.Context, mhc *clusterv1.MachineHealthCheck, cluster *clusterv1.Cluster, m *clusterv1.Machine, verdict *metav1.Condition,
	open []v1alpha1.MachineRemediation, inFlight map[types.UID]bool, config admission.Config, result *ctrl.Result,
) error {
	for i := range open {
		r := &open[i]
		if r.Spec.MachineRef.UID != m.UID || ladder.Ended(r) {
			continue
		}
		wants, at := ladder.WantsSlot(r, s.clock.Now())
		if !at.IsZero() {
			result.RequeueAfter = at.Sub(s.clock.Now())
		}
		if !wants {
			return nil
		}
		inFlight[m.UID] = true
		patch := fmt.Sprintf(`[{"op":"test","path":"/metadata/uid","value":%q},{"op":"test","path":"/spec/grant","value":%d},{"op":"replace","path":"/spec/grant","value":%d}]`,
			r.UID, r.Spec.Grant, r.Status.ReleasedGrant+1)
		return s.client.Patch(ctx, r, client.RawPatch(types.JSONPatchType, []byte(patch)))
	}
	all, err := record.LiveOfMachine(ctx, s.live, m.Namespace, m.UID)
	if err != nil {
		return err
	}
	ordinal := 0
	for i := range all {
		if !ladder.Ended(&all[i]) {
			return nil
		}
		ordinal = max(ordinal, record.Ordinal(&all[i]))
	}
	inFlight[m.UID] = true
	return client.IgnoreAlreadyExists(s.client.Create(ctx, record.New(cluster, ordinal+1, v1alpha1.MachineRemediationSpec{
		ClusterName:    cluster.Name,
		MachineRef:     v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: m.Name, UID: m.UID},
		HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
		Finding:        v1alpha1.RemediationFinding{Reason: verdict.Reason, Message: verdict.Message, Since: verdict.LastTransitionTime},
		Steps:          admission.BuiltInPlan(mhc, config),
		Grant:          1,
	})))
}
