package mhcspec

import (
	"context"
	"sync"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// byIndexLabel indexes MachineHealthChecks by one label that all their Machines have: judging one Machine must not mean reading all MachineHealthChecks
// of its cluster.
const byIndexLabel = "sickbay.indexLabel"

// indexLabel is a label of Machines by which their MachineHealthChecks are indexed; zero means none.
type indexLabel struct{ key, value string }

// indexLabelOf returns one of the labels that a MachineHealthCheck selects by; zero if it has none beside the cluster's name.
func indexLabelOf(mhc *clusterv1.MachineHealthCheck) indexLabel {
	var first indexLabel
	for key, value := range mhc.Spec.Selector.MatchLabels {
		if key != clusterv1.ClusterNameLabel && (first.key == "" || key < first.key) {
			first = indexLabel{key, value}
		}
	}
	return first
}

func (l indexLabel) of(cluster string) string { return cluster + "/" + l.key + "=" + l.value }

// ofKey is the index value that all index labels with a key share.
func ofKey(cluster, key string) string { return cluster + "/" + key }

// indexLabelKeys are the keys of all index labels that were ever indexed, so that other labels of a Machine need no lookup. A cache indexes an object before
// it shows it, so no key is missing; an extra one costs only a lookup.
var indexLabelKeys sync.Map

// indexLabelValues returns the index values of a MachineHealthCheck.
func indexLabelValues(obj client.Object) []string {
	mhc := obj.(*clusterv1.MachineHealthCheck)
	label := indexLabelOf(mhc)
	indexLabelKeys.LoadOrStore(label.key, nil)
	return []string{label.of(mhc.Spec.ClusterName), ofKey(mhc.Spec.ClusterName, label.key)}
}

// MachineHealthChecksFor lists the MachineHealthChecks that may select a Machine: all that do, and maybe some that do not. They are not copied: the
// caller must not change them.
func MachineHealthChecksFor(ctx context.Context, reader client.Reader, machine *clusterv1.Machine) ([]*clusterv1.MachineHealthCheck, error) {
	cluster := ClusterOf(machine)
	// Look up the zero label first: a reader without a cache indexes while it lists.
	mhcs, err := appendByIndexLabel(ctx, nil, reader, cluster, indexLabel{}.of(cluster.Name))
	if err != nil {
		return nil, err
	}
	for key, value := range machine.Labels {
		if _, used := indexLabelKeys.Load(key); !used {
			continue
		}
		if mhcs, err = appendByIndexLabel(ctx, mhcs, reader, cluster, indexLabel{key, value}.of(cluster.Name)); err != nil {
			return nil, err
		}
	}
	return mhcs, nil
}

// Rivals lists the MachineHealthChecks that may select a Machine that mhc selects: all that do, and maybe some that do not. They are not copied: the
// caller must not change them.
func Rivals(ctx context.Context, reader client.Reader, mhc *clusterv1.MachineHealthCheck) ([]*clusterv1.MachineHealthCheck, error) {
	cluster := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.ClusterName}
	own := indexLabelOf(mhc)
	if own == (indexLabel{}) {
		return MachineHealthChecksOf(ctx, reader, cluster)
	}
	mhcs, err := appendByIndexLabel(ctx, nil, reader, cluster, indexLabel{}.of(cluster.Name))
	if err != nil {
		return nil, err
	}
	if mhcs, err = appendByIndexLabel(ctx, mhcs, reader, cluster, own.of(cluster.Name)); err != nil {
		return nil, err
	}
	indexLabelKeys.Range(func(key, _ any) bool {
		if key != "" && key != own.key {
			mhcs, err = appendByIndexLabel(ctx, mhcs, reader, cluster, ofKey(cluster.Name, key.(string)))
		}
		return err == nil
	})
	return mhcs, err
}

func appendByIndexLabel(ctx context.Context, mhcs []*clusterv1.MachineHealthCheck, reader client.Reader, cluster client.ObjectKey, value string,
) ([]*clusterv1.MachineHealthCheck, error) {
	found, err := healthChecks(ctx, reader, cluster.Namespace, byIndexLabel, value, "listing MachineHealthChecks of", cluster)
	return append(mhcs, found...), err
}
