package machinehealth

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestDrainLeavesHostsOfOthers: a manager that drains leaves the condition about a host to the manager that looks after the machine.
func TestDrainLeavesHostsOfOthers(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := clusterv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	check := build.MachineHealthCheck("ns", "theirs")
	check.Labels = map[string]string{clusterv1.WatchLabel: "theirs"}
	machine := build.Machine("ns", "m")
	machine.Status.Conditions = []metav1.Condition{{Type: verdict.HostConditionType, Status: metav1.ConditionFalse, Reason: verdict.ReasonHostError}}
	machine.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: FieldOwner, Operation: metav1.ManagedFieldsOperationApply, Subresource: "status",
		FieldsV1: metav1.NewFieldsV1(`{"f:status":{"f:conditions":{"k:{\"type\":\"` + verdict.HostConditionType + `\"}":{".":{},"f:status":{}}}}}`),
	}}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(check, build.Cluster("ns", build.ClusterName))
	for _, index := range mhcspec.Indexes() {
		builder.WithIndex(index.Object, index.Field, index.Extract)
	}
	r := reader{
		objects: builder.Build(), observer: &Observer{}, selectors: &mhcspec.Selectors{},
		policy: mhcspec.Policy{Drain: true, WatchFilter: "ours"},
	}
	if got, err := r.applies(t.Context(), input{Object: machine}); err != nil || got != healthcheck.LeaveAlone {
		t.Errorf("the verdict: %v, %v", got, err)
	}
	if got, err := r.hostApplies(t.Context(), input{Object: machine}); err != nil || got != healthcheck.LeaveAlone {
		t.Errorf("the host: %v, %v; want it left alone (%v)", got, err, healthcheck.LeaveAlone)
	}
}
