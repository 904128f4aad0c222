package plants

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

func brakeFails(_ *history.Process, with history.Parts) history.Parts {
	cache := with.Client
	return liveGet(with, func(ctx context.Context, key client.ObjectKey, obj client.Object, err error) error {
		switch obj.(type) {
		case *clusterv1.MachineHealthCheck, *clusterv1.Cluster:
			return cache.Get(ctx, key, obj)
		}
		return err
	})
}

// blindToDeletion hides Machines in deletion.
func blindToDeletion(_ *history.Process, with history.Parts) history.Parts {
	hide := func(_ context.Context, key client.ObjectKey, obj client.Object, err error) error {
		if _, ok := obj.(*clusterv1.Machine); ok && err == nil && !obj.GetDeletionTimestamp().IsZero() {
			return apierrors.NewNotFound(clusterv1.GroupVersion.WithResource("machines").GroupResource(), key.Name)
		}
		return err
	}
	return reading(with, hide)
}

// ownersGoOn hides that an owner is paused.
func ownersGoOn(_ *history.Process, with history.Parts) history.Parts {
	return liveGet(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if u, ok := obj.(*unstructured.Unstructured); ok && u.GetKind() == kinds.MachinePool.Kind && err == nil {
			*u = *u.DeepCopy()
			u.SetAnnotations(nil)
		}
		return err
	})
}

// requestForgotten hides requests of a kind that the MachineHealthCheck does not name.
func requestForgotten(p *history.Process, with history.Parts) history.Parts {
	return liveGet(with, func(_ context.Context, key client.ObjectKey, obj client.Object, err error) error {
		u, ok := obj.(*unstructured.Unstructured)
		if !ok || u.GetKind() != kinds.Request.Kind {
			return err
		}
		mhc := history.Latest[*clusterv1.MachineHealthCheck](p.World, kinds.HealthCheck, kinds.CheckName)
		if mhc != nil && mhc.Spec.Remediation.TemplateRef.IsDefined() {
			return err
		}
		return apierrors.NewNotFound(schema.GroupResource{Group: kinds.Request.Group, Resource: kinds.Request.Kind}, key.Name)
	})
}

// deaf hides decisions.
func deaf(r *v1alpha1.MachineRemediation) { r.Spec.Decision = nil }

// approvesItself shows an approval in every record.
func approvesItself(r *v1alpha1.MachineRemediation) {
	r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: max(1, r.Status.Attempt), Answer: v1alpha1.AnswerApprove}
	r.Spec.Grant = max(1, r.Spec.Grant)
}

// forgetsActs hides that the current attempt of a record was carried out.
func forgetsActs(r *v1alpha1.MachineRemediation) {
	if attempt := ladder.AtWork(r); attempt != nil {
		attempt.ObjectRef = nil
	}
}
