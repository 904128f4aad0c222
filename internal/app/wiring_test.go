package app

import (
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestAdmissionIsWired: without Host, no record knows its host, and the memory of repairs on bare metal ends with the
// Machine.
func TestAdmissionIsWired(t *testing.T) {
	api := &clusterAPI{options: DefaultOptions(), ready: &readiness{}, connections: &connections{}}
	env.Get(t).Manager(t, env.ManagerOptions{
		Namespaces: []string{env.Get(t).Namespace(t)},
		Setup:      func(mgr ctrl.Manager) error { return api.addHealth(t.Context(), mgr) },
	})
	if api.checks.Host == nil {
		t.Error("nobody tells machinehealthcheck the host of a machine")
	}
}
