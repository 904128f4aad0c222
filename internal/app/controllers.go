package app

import (
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause"
)

// Controllers returns the names that --controllers takes. Adoption runs with machinehealthcheck, and what checks plans with remediation.
func Controllers() []string {
	return []string{
		machinehealth.ControllerName, machinehealthcheck.ControllerName, remediation.ControllerName, upgradepause.ControllerName,
		reboot.ControllerName, intake.ControllerName,
	}
}

// parts is the one list of all controllers and the kinds that they need. It includes the dashboard, if there is one.
func parts(o Options, ready *readiness, shown *shownFleet) []part {
	shared := &connections{}
	parts := (&clusterAPI{options: o, ready: ready, connections: shared, shown: shown}).parts()
	if len(o.enabled(upgradepause.ControllerName)) > 0 {
		parts = append(parts, upgradePauseParts(o, ready)...)
	}
	if len(o.enabled(reboot.ControllerName)) > 0 {
		parts = append(parts, rebootParts(o, ready, shared)...)
	}
	if len(o.enabled(remediation.ControllerName)) > 0 {
		parts = append(parts, recordsOfOpenShift(o, shared))
	}
	if len(o.enabled(intake.ControllerName)) > 0 {
		parts = append(parts, intakeParts(o, ready, shared)...)
	}
	return parts
}
