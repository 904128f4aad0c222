package plants

import (
	"context"
	"encoding/json"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/sim/explore/history"
)

// showingChecks changes the annotations that the cache shows of health checks.
func showingChecks(change func(all map[string]string)) func(*history.Process, history.Parts) history.Parts {
	return func(_ *history.Process, with history.Parts) history.Parts {
		return reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
			if check, ok := obj.(*metav1.PartialObjectMetadata); ok && err == nil && check.Annotations != nil {
				change(check.Annotations)
			}
			return err
		})
	}
}

// unreadIsOver answers that there is no upgrade if the ClusterVersion cannot be read.
func unreadIsOver(_ *history.Process, with history.Parts) history.Parts {
	return reading(with, func(_ context.Context, _ client.ObjectKey, obj client.Object, err error) error {
		if cv, ok := obj.(*configv1.ClusterVersion); ok && err != nil {
			cv.Status.History = []configv1.UpdateHistory{{State: configv1.CompletedUpdate}}
			cv.Status.Conditions = []configv1.ClusterOperatorStatusCondition{{Type: configv1.OperatorProgressing, Status: configv1.ConditionFalse}}
			return nil
		}
		return err
	})
}

// allBack shows all Nodes as Ready in lists.
func allBack(_ *history.Process, with history.Parts) history.Parts {
	return cachedList(with, func(list client.ObjectList) {
		if nodes, ok := list.(*corev1.NodeList); ok {
			for i := range nodes.Items {
				nodes.Items[i].Status = corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}
			}
		}
	})
}

// losingPauses loses some writes to the annotations of health checks.
func losingPauses(which func(changes map[string]*string) bool) func(*history.Process, history.Parts) history.Parts {
	return changingPauses(func(changes map[string]*string) bool { return !which(changes) })
}

// changingPauses changes what is written to the annotations of health checks, and does not write it if change returns false.
func changingPauses(change func(changes map[string]*string) bool) func(*history.Process, history.Parts) history.Parts {
	return func(_ *history.Process, with history.Parts) history.Parts {
		return withFuncs(with, interceptor.Funcs{Patch: func(ctx context.Context, c client.WithWatch, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
			if _, ok := obj.(*metav1.PartialObjectMetadata); !ok {
				return c.Patch(ctx, obj, patch, opts...)
			}
			data, err := patch.Data(obj)
			if err != nil {
				return err
			}
			var written struct {
				Metadata struct {
					UID             string             `json:"uid,omitempty"`
					ResourceVersion string             `json:"resourceVersion,omitempty"`
					Annotations     map[string]*string `json:"annotations"`
				} `json:"metadata"`
			}
			if err := json.Unmarshal(data, &written); err != nil {
				return err
			}
			if !change(written.Metadata.Annotations) {
				return nil
			}
			if data, err = json.Marshal(written); err != nil {
				return err
			}
			return c.Patch(ctx, obj, client.RawPatch(types.MergePatchType, data), opts...)
		}})
	}
}
