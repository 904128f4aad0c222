package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
	"github.com/sickbay-dev/sickbay/sim/mishap"
)

// TestEachWriteGoesWrong: in a world for each remedy, each write goes wrong in each way, and no rule is broken.
func TestEachWriteGoesWrong(t *testing.T) {
	checks := []string{"apply Machine/status", "apply MachineHealthCheck", "apply MachineHealthCheck/status"}
	records := []string{"create MachineRemediation", "patch MachineRemediation", "update MachineRemediation/status"}
	for name, tt := range map[string]struct {
		World worlds.Spec
		acts  []string
	}{
		"mark":   {worlds.Spec{Owner: worlds.OwnerReplaces}, []string{"patch Machine/status"}},
		"delete": {worlds.Spec{Owner: worlds.OwnerNone}, []string{"delete Machine"}},
		"reboot": {worlds.Spec{Owner: worlds.OwnerReplaces, Reboot: true}, []string{
			"create RebootRemediation", "patch Machine", "patch RebootRemediation", "update RebootRemediation/status", "patch BareMetalHost", "delete Node", "patch Node",
		}},
		"request": {worlds.Spec{Owner: worlds.OwnerReplaces, Request: true}, []string{"create FixRemediation", "delete FixRemediation"}},
		"plan":    {worlds.Spec{Owner: worlds.OwnerReplaces, Plan: worlds.Named("cloud plan").Plan}, []string{"patch Machine/status"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec := &tt.World
			spec.Machines, spec.Sick, spec.Slots, spec.Actors, spec.Steps = 2, 1, 1, []worlds.Actor{worlds.Faults}, 120
			spec.Settle, spec.Watch, spec.Recover = time.Hour, 30*time.Minute, 36*time.Hour
			writes := &writePoints{}
			if usual := run(spec, nil, writes, nil); usual.Failure != nil {
				t.Fatal(usual.Story())
			}
			happened := map[string]bool{}
			for _, at := range writes.points {
				for which := 1; which <= at.Option; which++ {
					result := run(spec, nil, schedule.NewReplay(schedule.Schedule{{At: at.At, Option: which}}), nil)
					if result.Failure != nil {
						t.Error(result.Story())
					}
					happened[kindOf(result.Words[0])] = true
				}
			}
			want := map[string]bool{}
			for _, write := range slices.Concat(checks, records, tt.acts) {
				for _, one := range mishap.OfWrites() {
					want[fmt.Sprint(one, " ", write)] = true
				}
			}
			if diff := cmp.Diff(want, happened); diff != "" {
				t.Errorf("what has happened (-want +got):\n%s", diff)
			}
		})
	}
}

// kindOf removes the names from "p1: crash before patch Machine/status m1".
func kindOf(happened string) string {
	_, what, _ := strings.Cut(happened, ": ")
	words := strings.Fields(what)
	return strings.Join(words[:len(words)-1], " ")
}

// writePoints records the points at which a process writes, with the number of ways in which each write can go wrong. It never deviates.
type writePoints struct{ points []schedule.Deviation }

func (w *writePoints) Choose(n int, kind schedule.Point, options func() int) int {
	if kind == schedule.AtWrite {
		w.points = append(w.points, schedule.Deviation{At: n, Option: options()})
	}
	return 0
}
