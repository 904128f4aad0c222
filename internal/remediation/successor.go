package remediation

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	recordpkg "github.com/sickbay-dev/sickbay/internal/record"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// remediationFor is how a KubeadmControlPlane says which machine a new one replaces.
const remediationFor = "controlplane.cluster.x-k8s.io/remediation-for"

// successor finds the machine in the place of one that is gone; nil if there is none yet, or nobody asks.
func (r *Reconciler) successor(ctx context.Context, record *v1alpha1.MachineRemediation) (*ladder.Successor, error) {
	attempt := ladder.AtWork(record)
	if record.Spec.TemplateRef == nil || attempt == nil || attempt.ObjectRef == nil {
		return nil, nil
	}
	machines, err := targets.MachinesOf(ctx, r.Client, clusterKey(record))
	if err != nil {
		return nil, err
	}
	records, err := recordpkg.OfCluster(ctx, r.Client, clusterKey(record))
	if err != nil {
		return nil, err
	}
	machine := successorOf(record, attempt, machines, records)
	if machine == nil {
		return nil, nil
	}
	s := &ladder.Successor{Name: machine.Name, Health: storedHealth(machine), Gone: !machine.DeletionTimestamp.IsZero()}
	if verdict := meta.FindStatusCondition(machine.Status.Conditions, machinehealth.ConditionType); s.Health == ladder.Healthy {
		s.HealthySince = verdict.LastTransitionTime.Time
	}
	for i := range records {
		if records[i].Spec.MachineRef.UID == machine.UID && !ladder.Ended(&records[i]) {
			s.Record = &v1alpha1.RemediationReference{Name: records[i].Name, UID: records[i].UID}
		}
	}
	return s, nil
}

// successorOf picks the machine that takes the place of the one of a record. A control plane says which one it is; of a
// MachineSet, the machines that have come since are given to the records that wait, the oldest to the first.
func successorOf(record *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt, machines []clusterv1.Machine,
	records []v1alpha1.MachineRemediation,
) *clusterv1.Machine {
	var come []*clusterv1.Machine
	for i := range machines {
		machine := &machines[i]
		owner := metav1.GetControllerOfNoCopy(machine)
		if owner == nil || owner.UID != attempt.ObjectRef.UID || machine.CreationTimestamp.Time.Before(attempt.StartTime.Time) {
			continue
		}
		if replaces(machine, record.Spec.MachineRef.Name) {
			return machine
		}
		if _, named := machine.Annotations[remediationFor]; !named {
			come = append(come, machine)
		}
	}
	slices.SortFunc(come, func(a, b *clusterv1.Machine) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.UID, b.UID))
	})
	place := len(waitingBefore(record, attempt, records))
	if place >= len(come) {
		return nil
	}
	return come[place]
}

// waitingBefore are the records that wait for a successor of the same owner and come first.
func waitingBefore(record *v1alpha1.MachineRemediation, attempt *v1alpha1.RemediationAttempt, records []v1alpha1.MachineRemediation) []string {
	var before []string
	for i := range records {
		other := &records[i]
		its := ladder.AtWork(other)
		if other.UID == record.UID || its == nil || its.ObjectRef == nil || its.StartTime == nil || its.ObjectRef.UID != attempt.ObjectRef.UID {
			continue
		}
		if order := cmp.Or(its.StartTime.Compare(attempt.StartTime.Time), cmp.Compare(other.UID, record.UID)); order < 0 {
			before = append(before, other.Name)
		}
	}
	return before
}

// replaces reports whether a control plane has made a machine in the place of the one of that name.
func replaces(machine *clusterv1.Machine, name string) bool {
	value, ok := machine.Annotations[remediationFor]
	if !ok {
		return false
	}
	var said struct {
		Machine   string    `json:"machine"`
		Timestamp time.Time `json:"timestamp"`
	}
	return json.Unmarshal([]byte(value), &said) == nil && said.Machine == name
}
