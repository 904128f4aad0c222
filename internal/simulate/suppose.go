package simulate

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Changes are objects that replace those in the fleet, or are added to it. Without any, the fleet is played as it is.
type Changes struct {
	Checks []*clusterv1.MachineHealthCheck
	Plans  []*v1alpha1.MachineRemediationTemplate
	// Known are the fleet's plans that the health checks above name.
	Known []*v1alpha1.MachineRemediationTemplate
}

// Suppose applies changes to a fleet. It returns an error if a change does not fit the fleet.
func Suppose(facts *explain.Facts, changes Changes, policy mhcspec.Policy) (*Scene, error) {
	s := &Scene{from: facts.Now.Truncate(time.Second), policy: policy}
	s.now = s.from
	plans := newPlans(facts, changes)
	all, err := s.suppose(facts, changes)
	if err != nil {
		return nil, err
	}
	kindsMissing := slices.ContainsFunc(facts.Checks, func(c *explain.Check) bool { return c.Facts.KindsMissing })
	for _, c := range all {
		c.played = s.plays(c, changes)
	}
	h := s.sharing(all)
	h.playRivals(facts.Machines)
	for _, c := range all {
		if c.played {
			c.foreign = !policy.Manages(c.mhc)
			c.prepare(plans, s.selectors.Problem(c.mhc), kindsMissing)
			s.checks = append(s.checks, c)
		}
	}
	if len(s.checks) == 0 && len(changes.Plans) == 0 {
		return nil, errors.New("this Sickbay manages no MachineHealthCheck here")
	}
	for _, plan := range changes.Plans {
		if !slices.ContainsFunc(s.checks, func(c *check) bool { return names(c.mhc, plan) }) {
			return nil, fmt.Errorf("no MachineHealthCheck in namespace %s names MachineRemediationTemplate %s, so it changes nothing", plan.Namespace, plan.Name)
		}
	}
	s.assign(facts, h)
	s.addRecords(facts)
	return s, nil
}

// plays reports whether to simulate a health check: if it or its plan changes, or if there are no changes at all.
func (s *Scene) plays(c *check, changes Changes) bool {
	if len(changes.Checks)+len(changes.Plans) == 0 {
		return s.policy.Manages(c.mhc)
	}
	if c.change == "" && slices.ContainsFunc(changes.Plans, func(p *v1alpha1.MachineRemediationTemplate) bool { return names(c.mhc, p) }) {
		c.change = Changed
	}
	return c.change != ""
}

// suppose returns the health checks of the fleet, with the changed ones in their places, and the new ones after them.
func (s *Scene) suppose(facts *explain.Facts, changes Changes) ([]*check, error) {
	var all []*check
	for _, known := range facts.Checks {
		c := &check{mhc: known.MachineHealthCheck, known: known}
		c.cluster = facts.ClusterNamed(c.mhc.Namespace, c.mhc.Spec.ClusterName)
		all = append(all, c)
	}
	for _, mhc := range changes.Checks {
		cluster := facts.ClusterNamed(mhc.Namespace, mhc.Spec.ClusterName)
		if cluster == nil {
			return nil, fmt.Errorf("MachineHealthCheck %s/%s is for Cluster %q, which does not exist in that namespace", mhc.Namespace, mhc.Name, mhc.Spec.ClusterName)
		}
		i := slices.IndexFunc(all, func(c *check) bool { return c.mhc.Namespace == mhc.Namespace && c.mhc.Name == mhc.Name })
		if i < 0 {
			all = append(all, &check{mhc: s.made(mhc, all), cluster: cluster, change: New})
			continue
		}
		all[i].mhc, all[i].cluster, all[i].change = s.edited(all[i].mhc, mhc), cluster, Changed
	}
	return slices.DeleteFunc(all, func(c *check) bool { return c.cluster == nil }), nil
}

// made returns a health check as it would be created now, younger than all others.
func (s *Scene) made(from *clusterv1.MachineHealthCheck, others []*check) *clusterv1.MachineHealthCheck {
	mhc := from.DeepCopy()
	mhc.UID, mhc.Generation = types.UID("simulated-"+mhc.Namespace+"/"+mhc.Name), 1
	mhc.CreationTimestamp.Time, mhc.DeletionTimestamp = s.from, nil
	for _, other := range others {
		mhc.CreationTimestamp.Time = slices.MaxFunc([]time.Time{mhc.CreationTimestamp.Time, other.mhc.CreationTimestamp.Add(time.Second)}, time.Time.Compare)
	}
	mhc.Status = clusterv1.MachineHealthCheckStatus{}
	return mhc
}

// atRunTime are annotations that people and controllers set at run time. Applying a file without them does not remove them.
var atRunTime = []string{
	clusterv1.PausedAnnotation, mhcspec.UpgradeMarker, mhcspec.HoldUntilAnnotation, mhcspec.HoldReasonAnnotation, mhcspec.ResumedAtAnnotation,
}

// edited returns a health check after a change; its age stays the same.
func (s *Scene) edited(old, from *clusterv1.MachineHealthCheck) *clusterv1.MachineHealthCheck {
	mhc := old.DeepCopy()
	mhc.Spec, mhc.Generation = *from.Spec.DeepCopy(), old.Generation+1
	mhc.Labels, mhc.Annotations = from.DeepCopy().Labels, from.DeepCopy().Annotations
	for _, key := range atRunTime {
		if value, ok := old.Annotations[key]; ok && mhc.Annotations[key] == "" {
			if mhc.Annotations == nil {
				mhc.Annotations = map[string]string{}
			}
			mhc.Annotations[key] = value
		}
	}
	return mhc
}
