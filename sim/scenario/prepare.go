package scenario

import (
	"context"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/sim/world"
)

// Clusters returns the clusters of the scenarios, in order. Each has a pool of workers for each of its scenarios,
// and what else they need.
func Clusters(scenarios []Scenario) []world.ClusterSpec {
	var clusters []world.ClusterSpec
	index := map[string]int{}
	for _, s := range scenarios {
		i, ok := index[s.Cluster]
		if !ok {
			i = len(clusters)
			index[s.Cluster] = i
			clusters = append(clusters, world.ClusterSpec{Namespace: s.Namespace, Name: s.Cluster, BareMetal: s.BareMetal})
			if s.BareMetal {
				clusters[i].StartupTime = bootTime
			}
		}
		clusters[i].SpareHosts += s.SpareHosts
		clusters[i].Pools = append(clusters[i].Pools, world.Pool{Name: s.Name, Size: s.Workers})
		clusters[i].Pools = append(clusters[i].Pools, s.Elsewhere...)
		clusters[i].Pools = append(clusters[i].Pools, s.Others...)
		if clusters[i].Annotations == nil {
			clusters[i].Annotations = map[string]string{}
		}
		maps.Copy(clusters[i].Annotations, s.ClusterAnnotations)
	}
	return clusters
}

// Prepare creates a cluster, waits until all its machines are up, and creates the MachineHealthChecks of its
// scenarios.
func Prepare(ctx context.Context, w *world.World, cluster world.ClusterSpec, scenarios []Scenario) error {
	if err := w.CreateCluster(ctx, cluster); err != nil {
		return err
	}
	if err := w.WaitReady(ctx, cluster.Key()); err != nil {
		return err
	}
	for _, s := range scenarios {
		if s.Cluster != cluster.Name {
			continue
		}
		for _, template := range s.Templates {
			if err := w.Client().Create(ctx, template); err != nil {
				return fmt.Errorf("creating %T of %s: %w", template, s.Name, err)
			}
		}
		if err := w.Client().Create(ctx, s.machineHealthCheck()); err != nil {
			return fmt.Errorf("creating MachineHealthCheck %s: %w", s.Name, err)
		}
	}
	return nil
}

func (s Scenario) machineHealthCheck() *clusterv1.MachineHealthCheck {
	mhc := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name, Annotations: s.Annotations},
		Spec:       s.Health,
	}
	mhc.Spec.ClusterName = s.Cluster
	mhc.Spec.Selector = s.selector()
	if mhc.Spec.Checks.NodeStartupTimeoutSeconds == nil {
		mhc.Spec.Checks.NodeStartupTimeoutSeconds = &clusterv1.DefaultNodeStartupTimeoutSeconds
	}
	return mhc
}

// selector selects the machines of the pool, and of the pools elsewhere.
func (s Scenario) selector() metav1.LabelSelector {
	own := world.MachineDeploymentName(s.Cluster, s.Name)
	if len(s.Elsewhere) == 0 {
		return metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: own}}
	}
	pools := []string{own}
	for _, pool := range s.Elsewhere {
		pools = append(pools, world.MachineDeploymentName(s.Cluster, pool.Name))
	}
	return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: clusterv1.MachineDeploymentNameLabel, Operator: metav1.LabelSelectorOpIn, Values: pools},
	}}
}
