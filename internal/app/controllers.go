package app

import (
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// Controllers returns the names of all controllers.
func Controllers() []string {
	return []string{
		machinehealth.ControllerName, machinehealthcheck.ControllerName, remediation.ControllerName, upgradepause.ControllerName,
		reboot.ControllerName,
	}
}

// gates is the one list of all controllers and the kinds that they need. It includes the dashboard, if there is one.
func gates(o Options, ready *readiness, shown *shownFleet) []gate {
	shared := &connections{}
	gates := (&clusterAPI{options: o, ready: ready, connections: shared, shown: shown}).gates()
	if len(o.enabled(upgradepause.ControllerName)) > 0 {
		gates = append(gates, upgradePauseGates(o, ready)...)
	}
	if len(o.enabled(reboot.ControllerName)) > 0 {
		gates = append(gates, rebootGates(o, ready, shared)...)
	}
	return gates
}
