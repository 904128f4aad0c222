package config_test

import "testing"

// TestOwnersCanBeRead: whether another machine comes in the place of one that is gone is asked of its owner. Without the
// permission for MachineSets nobody says so: a scale-down is taken for a replacement that has come to nothing.
func TestOwnersCanBeRead(t *testing.T) {
	e := install(t)
	for _, on := range []resource{{capi, "machinesets", "", "any"}, {controlPlane, "kubeadmcontrolplanes", "", "any"}} {
		if !may(t, e, sickbay, "get", on) {
			t.Errorf("%s cannot be read", on.resource)
		}
	}
}
