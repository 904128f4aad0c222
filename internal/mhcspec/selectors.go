package mhcspec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Selectors matches Machines against MachineHealthChecks. It compiles each selector once
// per generation, because each event of a Machine uses it again. The zero value is ready to
// use and safe for concurrent use.
type Selectors struct {
	compiled sync.Map // types.NamespacedName -> compiled
}

type compiled struct {
	uid        types.UID
	generation int64
	selector   labels.Selector
	err        error
}

// Problem returns why the selector of mhc cannot be used, or nil. Cluster API's
// webhook refuses such selectors, but it may be absent.
func (s *Selectors) Problem(mhc *clusterv1.MachineHealthCheck) error {
	return s.get(mhc).err
}

// Matches reports whether mhc selects machine. A selector with a Problem selects nothing,
// and neither does a MachineHealthCheck that is being deleted.
func (s *Selectors) Matches(mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine) bool {
	if mhc.Namespace != machine.Namespace || mhc.Spec.ClusterName != machine.Spec.ClusterName || !mhc.DeletionTimestamp.IsZero() {
		return false
	}
	c := s.get(mhc)
	return c.err == nil && c.selector.Matches(labels.Set(machine.Labels))
}

// Selecting returns those of mhcs that select machine, the oldest first, then by name. It reuses the slice.
func (s *Selectors) Selecting(machine *clusterv1.Machine, mhcs []*clusterv1.MachineHealthCheck) []*clusterv1.MachineHealthCheck {
	selecting := slices.DeleteFunc(mhcs, func(mhc *clusterv1.MachineHealthCheck) bool { return !s.Matches(mhc, machine) })
	slices.SortFunc(selecting, func(a, b *clusterv1.MachineHealthCheck) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return selecting
}

// Forget drops the selector of a MachineHealthCheck that is gone.
func (s *Selectors) Forget(mhc types.NamespacedName) { s.compiled.Delete(mhc) }

func (s *Selectors) get(mhc *clusterv1.MachineHealthCheck) compiled {
	key := types.NamespacedName{Namespace: mhc.Namespace, Name: mhc.Name}
	if kept, ok := s.compiled.Load(key); ok {
		if c := kept.(compiled); c.uid == mhc.UID && c.generation == mhc.Generation {
			return c
		}
	}
	c := compiled{uid: mhc.UID, generation: mhc.Generation}
	c.selector, c.err = compile(mhc)
	s.compiled.Store(key, c)
	return c
}

func compile(mhc *clusterv1.MachineHealthCheck) (labels.Selector, error) {
	spec := &mhc.Spec.Selector
	if len(spec.MatchLabels) == 0 && len(spec.MatchExpressions) == 0 {
		return nil, errors.New("spec.selector must not be empty")
	}
	if name, ok := spec.MatchLabels[clusterv1.ClusterNameLabel]; ok && name != mhc.Spec.ClusterName {
		return nil, fmt.Errorf("spec.selector names cluster %q, but spec.clusterName is %q", name, mhc.Spec.ClusterName)
	}
	selector, err := metav1.LabelSelectorAsSelector(spec)
	if err != nil {
		return nil, fmt.Errorf("spec.selector cannot be used: %w", err)
	}
	return selector, nil
}
