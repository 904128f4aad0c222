package baremetal

import (
	"encoding/json"
	"maps"
	"strings"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
)

const plainKey = metal3api.RebootAnnotationPrefix

func isRebootKey(key string) bool {
	return key == plainKey || strings.HasPrefix(key, plainKey+"/")
}

// heldOff reports whether any annotation keeps the host off, and how hard. If forced is set, only
// annotations count that ask for force themselves. A value that does not parse counts as soft.
func heldOff(annotations map[string]string, forced bool) (held bool, mode metal3api.RebootMode) {
	mode = metal3api.RebootModeSoft
	for key, value := range annotations {
		if !isRebootKey(key) {
			continue
		}
		var asked metal3api.RebootAnnotationArguments
		if err := json.Unmarshal([]byte(value), &asked); err != nil {
			asked = metal3api.RebootAnnotationArguments{}
		}
		if forced && !asked.Force {
			continue
		}
		held = true
		if asked.Mode == metal3api.RebootModeHard {
			mode = metal3api.RebootModeHard
		}
	}
	return held, mode
}

// dropKeys removes reboot annotations from a host at the start or end of its life: all of them, or
// only the one without suffix.
func dropKeys(host *metal3api.BareMetalHost, keepForeign bool) (dropped bool) {
	before := len(host.Annotations)
	maps.DeleteFunc(host.Annotations, func(key, _ string) bool {
		return key == plainKey || !keepForeign && isRebootKey(key)
	})
	return len(host.Annotations) < before
}
