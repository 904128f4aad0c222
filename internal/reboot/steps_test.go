package reboot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// TestWhoAsksForMore: annotations go on with a cycle that was made to stop after a step, and with no other. A sign asks for nothing.
func TestWhoAsksForMore(t *testing.T) {
	const plain, on = rebootannotation.Request, rebootannotation.Request + "/PowerOn"
	type answers struct {
		AsksFull bool
		Steps    map[v1alpha1.Step]bool
	}
	steps := map[v1alpha1.Step]bool{v1alpha1.StepPowerOn: true}
	for name, tt := range map[string]struct {
		until       v1alpha1.Step
		annotations map[string]string
		want        answers
	}{
		"all":                 {v1alpha1.StepPowerOff, map[string]string{plain: ""}, answers{AsksFull: true}},
		"all, with a value":   {v1alpha1.StepPowerOff, map[string]string{plain: "u-1/1"}, answers{AsksFull: true}},
		"a step":              {v1alpha1.StepDelete, map[string]string{on: sign}, answers{Steps: steps}},
		"another annotation":  {v1alpha1.StepDelete, map[string]string{plain + "/Other": ""}, answers{}},
		"a sign":              {v1alpha1.StepPowerOff, map[string]string{plain: sign, on: ""}, answers{Steps: steps}},
		"beside a full cycle": {"", map[string]string{plain: "", on: ""}, answers{}},
	} {
		request := &v1alpha1.RebootRemediation{Spec: v1alpha1.RebootRemediationSpec{Until: tt.until}}
		object := build.Machine("ns", "m")
		object.Annotations = tt.annotations
		facts := (&machine{object: object}).facts(request)
		if diff := cmp.Diff(tt.want, answers{facts.AsksFull, facts.Steps}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestDropAsked: the annotations of the finished steps go, or the one for all that is left. A sign stays.
func TestDropAsked(t *testing.T) {
	const plain, off, on = rebootannotation.Request, rebootannotation.Request + "/PowerOff", rebootannotation.Request + "/PowerOn"
	e := env.Get(t)
	ns := e.Namespace(t)
	for name, tt := range map[string]struct {
		before map[string]string
		d      cycle.Decision
		want   map[string]string
	}{
		"a step":      {map[string]string{plain: "", off: "", on: ""}, cycle.Decision{Action: cycle.DropAsked, Done: []v1alpha1.Step{v1alpha1.StepPowerOff}}, map[string]string{plain: "", on: ""}},
		"the rest":    {map[string]string{plain: "now", on: ""}, cycle.Decision{Action: cycle.DropFull}, map[string]string{on: ""}},
		"with a sign": {map[string]string{plain: sign, on: ""}, cycle.Decision{Action: cycle.DropFull}, map[string]string{plain: sign, on: ""}},
	} {
		m := build.Machine(ns, "m")
		m.Annotations = tt.before
		request := cycleOf(ns, "m-1", v1alpha1.MachineReference{APIGroup: ClusterAPIKind.Group, Name: "m"})
		build.Create(t.Context(), t, e.Client, m, request)
		if err := (writer{Client: e.Client, live: e.Client}).do(t.Context(), observed{request: request, machine: &machine{object: m.DeepCopy()}}, tt.d); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, reread(t, e, m).Annotations, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: annotations (-want +got):\n%s", name, diff)
		}
		for _, err := range []error{e.Client.Delete(t.Context(), m), e.Client.Delete(t.Context(), request)} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
