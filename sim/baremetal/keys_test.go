package baremetal

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
)

func TestHeldOff(t *testing.T) {
	const a, b = plainKey + "/a", plainKey + "/b"
	for name, test := range map[string]struct {
		annotations map[string]string
		forced      bool
		held        bool
		mode        metal3api.RebootMode
	}{
		"none":                       {nil, false, false, metal3api.RebootModeSoft},
		"others":                     {map[string]string{"reboot.metal3.iox": "", "other/" + plainKey: ""}, false, false, metal3api.RebootModeSoft},
		"plain":                      {map[string]string{plainKey: ""}, false, true, metal3api.RebootModeSoft},
		"suffix":                     {map[string]string{a: ""}, false, true, metal3api.RebootModeSoft},
		"soft":                       {map[string]string{a: `{"mode":"soft"}`}, false, true, metal3api.RebootModeSoft},
		"hard":                       {map[string]string{a: `{"mode":"hard"}`}, false, true, metal3api.RebootModeHard},
		"hard wins":                  {map[string]string{a: `{"mode":"hard"}`, b: `{"mode":"soft"}`}, false, true, metal3api.RebootModeHard},
		"unreadable":                 {map[string]string{a: `{"mode":"hard"`}, false, true, metal3api.RebootModeSoft},
		"other members":              {map[string]string{a: `{"mode":"hard","machine":"x"}`}, false, true, metal3api.RebootModeHard},
		"force is not asked for":     {map[string]string{a: `{"force":true}`}, false, true, metal3api.RebootModeSoft},
		"force is asked for":         {map[string]string{a: `{"mode":"hard"}`}, true, false, metal3api.RebootModeSoft},
		"force is there":             {map[string]string{a: `{"mode":"hard","force":true}`}, true, true, metal3api.RebootModeHard},
		"mode of one without force":  {map[string]string{a: `{"mode":"hard"}`, b: `{"force":true}`}, true, true, metal3api.RebootModeSoft},
		"unreadable, force required": {map[string]string{a: "x"}, true, false, metal3api.RebootModeSoft},
	} {
		if held, mode := heldOff(test.annotations, test.forced); held != test.held || mode != test.mode {
			t.Errorf("%s: held off %t %s, want %t %s", name, held, mode, test.held, test.mode)
		}
	}
}

func TestDropKeys(t *testing.T) {
	const a = plainKey + "/a"
	for name, test := range map[string]struct {
		keys, want []string
		keep       bool
	}{
		"none":             {[]string{"x"}, []string{"x"}, false},
		"all":              {[]string{plainKey, a, "x"}, []string{"x"}, false},
		"plain alone":      {[]string{plainKey, a, "x"}, []string{a, "x"}, true},
		"nothing to do":    {[]string{a, "x"}, []string{a, "x"}, true},
		"only with suffix": {[]string{a}, nil, false},
	} {
		host := &metal3api.BareMetalHost{}
		host.Annotations = map[string]string{}
		for _, key := range test.keys {
			host.Annotations[key] = ""
		}
		if dropped := dropKeys(host, test.keep); dropped != (len(test.keys) != len(test.want)) {
			t.Errorf("%s: dropped is %t", name, dropped)
		}
		if diff := cmp.Diff(test.want, slices.Sorted(maps.Keys(host.Annotations))); diff != "" {
			t.Errorf("%s: annotations (-want +got):\n%s", name, diff)
		}
	}
}
