package upgradepause

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// poolID begins the IDs of the updates of MachineConfigPools, followed by the name of the pool.
	poolID = "machineconfigpool/"
	// anyPool is a pool that each OpenShift has: it is named when none can be read.
	anyPool = "worker"
)

// machineConfigPools is the signal of OpenShift's machine config operator. Its workers go on rebooting when ClusterVersion says that
// the upgrade is over, and also when no more than a setting has changed. A pool concerns the MachineHealthChecks of OpenShift that
// have a machine whose Node it selects.
type machineConfigPools struct {
	reader    client.Reader
	lookout   *lookout
	installed *Installed
	nodes     interface {
		Nodes(ctx context.Context, check *metav1.PartialObjectMetadata) ([]*corev1.Node, error)
	}
}

// Read implements Signal.
func (s machineConfigPools) Read(ctx context.Context, check *metav1.PartialObjectMetadata) []Reading {
	if !s.installed.get() {
		return nil
	}
	var pools mcfgv1.MachineConfigPoolList
	err := s.lookout.ready(ctx, &mcfgv1.MachineConfigPool{})
	if err == nil {
		err = s.reader.List(ctx, &pools, client.UnsafeDisableDeepCopy)
	}
	if err != nil {
		return []Reading{{IDs: poolID, Subject: poolReference(anyPool), Err: err}}
	}
	var readings []Reading
	for i := range pools.Items {
		readings = append(readings, s.read(ctx, check, &pools.Items[i]))
	}
	return readings
}

func (s machineConfigPools) read(ctx context.Context, check *metav1.PartialObjectMetadata, pool *mcfgv1.MachineConfigPool) Reading {
	reading := Reading{IDs: idsOfPool(pool.Name), Subject: poolReference(pool.Name)}
	reading.Upgrades, reading.Err = ofPool(pool, notedOf(check.Annotations, reading.IDs))
	if len(reading.Upgrades) == 0 {
		return reading
	}
	nodes, err := s.nodes.Nodes(ctx, check)
	switch {
	case errors.Is(err, errStarting):
		reading.Upgrades, reading.Err = nil, err
	case err == nil:
		reading.Elsewhere = !selects(pool, nodes)
	default:
		// It cannot be told whose Nodes these are: then it concerns all.
	}
	return reading
}

func idsOfPool(name string) string { return poolID + name + "/" }

func poolReference(name string) *corev1.ObjectReference {
	return &corev1.ObjectReference{APIVersion: mcfgv1.GroupVersion.String(), Kind: "MachineConfigPool", Name: name}
}

// notedOf returns the update of a pool that is noted already; empty if there is none.
func notedOf(annotations map[string]string, ids string) string {
	for _, id := range noted(annotations) {
		if strings.HasPrefix(id, ids) {
			return id
		}
	}
	return ""
}

// selects reports whether one of the Nodes may be in the pool. A Node in a pool of its own is selected by that of the workers, too.
func selects(pool *mcfgv1.MachineConfigPool, nodes []*corev1.Node) bool {
	selector, err := metav1.LabelSelectorAsSelector(pool.Spec.NodeSelector)
	return err != nil || slices.ContainsFunc(nodes, func(n *corev1.Node) bool { return selector.Matches(labels.Set(n.Labels)) })
}

// ofPool tells whether a pool updates: it says so, and has machines that are not updated. Updating alone does not say it, since a
// Node that is not Ready for any reason makes it True. Nor do both, as long as nothing has been noted: a Node that joins the pool is
// not updated at first, though the pool has no other configuration than before. An update goes on until all machines have it,
// whatever else they are to have meanwhile.
func ofPool(pool *mcfgv1.MachineConfigPool, known string) ([]Upgrade, error) {
	behind := pool.Status.MachineCount - pool.Status.UpdatedMachineCount
	joins := pool.Spec.Configuration.Name != "" && pool.Spec.Configuration.Name == pool.Status.Configuration.Name
	if behind <= 0 || (known == "" && joins) {
		return nil, nil
	}
	updating := conditionOf(pool, mcfgv1.MachineConfigPoolUpdating)
	if updating.Status != corev1.ConditionTrue && updating.Status != corev1.ConditionFalse {
		return nil, fmt.Errorf("MachineConfigPool %s does not say whether it is Updating", pool.Name)
	}
	upgrade := Upgrade{ID: known, Follows: clusterVersionID, Since: updating.LastTransitionTime.Time, Halted: updating.Status == corev1.ConditionFalse}
	if known == "" {
		upgrade.ID = idsOfPool(pool.Name) + upgrade.Since.UTC().Format(time.RFC3339)
	}
	upgrade.Text = fmt.Sprintf("MachineConfigPool %s updates, %d of %d machines are through", pool.Name, pool.Status.UpdatedMachineCount, pool.Status.MachineCount)
	if degraded := conditionOf(pool, mcfgv1.MachineConfigPoolDegraded); degraded.Status == corev1.ConditionTrue {
		upgrade.Stuck = strings.TrimSuffix("it is degraded: "+degraded.Message, ": ")
	}
	return []Upgrade{upgrade}, nil
}

func conditionOf(pool *mcfgv1.MachineConfigPool, kind mcfgv1.MachineConfigPoolConditionType) mcfgv1.MachineConfigPoolCondition {
	for _, c := range pool.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return mcfgv1.MachineConfigPoolCondition{}
}

// digestOfPool is all of it that matters here, apart from how many machines are through.
func digestOfPool(pool *mcfgv1.MachineConfigPool) string {
	var b strings.Builder
	for _, known := range []string{"", "known"} {
		upgrades, err := ofPool(pool, known)
		for _, u := range upgrades {
			fmt.Fprintf(&b, "%s,%t,%s;", u.ID, u.Halted, u.Stuck)
		}
		fmt.Fprint(&b, err)
	}
	return b.String() + pool.Spec.NodeSelector.String()
}
