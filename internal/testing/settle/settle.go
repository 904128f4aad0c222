// Package settle carries records on without a controller.
//
// It is part of internal/testing.
package settle

import (
	"testing"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Admitted returns the first record of a sick machine, with a plan and a slot.
func Admitted(cluster *clusterv1.Cluster, mhc *clusterv1.MachineHealthCheck, machine *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	sick := verdict.Of(machine)
	return recordstore.New(cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName:      cluster.Name,
		MachineRef:       v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
		HealthCheckRef:   v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
		TemplateRef:      &v1alpha1.PlanReference{Name: "plan", UID: "plan", Generation: 1},
		Finding:          v1alpha1.RemediationFinding{Reason: sick.Reason, Message: sick.Message, Since: sick.LastTransitionTime},
		Steps:            steps,
		ProbationSeconds: new(int32(300)),
		Grant:            1,
	})
}

// Record stores what the ladder decides about a record at a time, as the remediation controller does, until there is nothing left to
// store. The machine is sick, unless a change says otherwise.
func Record(t testing.TB, c client.Client, r *v1alpha1.MachineRemediation, now time.Time, changes ...func(*ladder.Facts)) {
	t.Helper()
	for range 20 {
		facts := ladder.Alone(r)
		for _, change := range changes {
			change(&facts)
		}
		d := ladder.Decide(facts, now)
		if !d.Store {
			return
		}
		r.Status = d.Status
		if err := c.Status().Update(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatal("the record does not settle")
}
