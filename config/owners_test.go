package config_test

import "testing"

// TestOwnersCanBeRead: Sickbay asks the owner whether it will replace a machine that is gone. Without permission to read MachineSets, it would
// mistake a scale-down for a failed replacement.
func TestOwnersCanBeRead(t *testing.T) {
	e := install(t)
	for _, on := range []resource{{capi, "machinesets", "", "any"}, {capi, "machinepools", "", "any"}, {controlPlane, "kubeadmcontrolplanes", "", "any"}} {
		if !may(t, e, sickbay, "get", on) {
			t.Errorf("%s cannot be read", on.resource)
		}
	}
}
