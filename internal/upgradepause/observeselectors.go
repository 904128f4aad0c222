package upgradepause

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/recall"
)

// selectors reads the selectors of MachineHealthChecks, which are not in the metadata. It reads each once per generation. It
// is safe for concurrent use.
type selectors struct {
	kind schema.GroupVersionKind
	live client.Reader

	kept recall.ByObject[*selected]
}

type selected struct {
	uid        types.UID
	generation int64
	selector   labels.Selector
}

func (s *selectors) of(ctx context.Context, check *metav1.PartialObjectMetadata) (labels.Selector, error) {
	key := client.ObjectKeyFromObject(check)
	if known := s.kept.Get(key); known != nil && known.uid == check.UID && known.generation == check.Generation {
		return known.selector, nil
	}
	full := &unstructured.Unstructured{}
	full.SetGroupVersionKind(s.kind)
	if err := s.live.Get(ctx, key, full); err != nil {
		return nil, fmt.Errorf("getting MachineHealthCheck %s: %w", key, err)
	}
	selector, err := selectorOf(full)
	if err != nil {
		return nil, fmt.Errorf("reading the selector of MachineHealthCheck %s: %w", key, err)
	}
	s.kept.Set(key, &selected{uid: full.GetUID(), generation: full.GetGeneration(), selector: selector})
	return selector, nil
}

func selectorOf(check *unstructured.Unstructured) (labels.Selector, error) {
	var spec struct {
		Spec struct {
			Selector metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(check.Object, &spec); err != nil {
		return nil, err
	}
	return metav1.LabelSelectorAsSelector(&spec.Spec.Selector)
}
