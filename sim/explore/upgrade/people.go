package upgrade

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// Pausers returns the ways in which people and programs pause a health check, resume it, hand it over, and except it from pauses for upgrades.
func (s Scene) Pausers(kind schema.GroupVersionKind, name string) []Act {
	check := s.Find(kind, name)
	if check == nil {
		return nil
	}
	stored := check.GetAnnotations()
	act := func(what string, change func(map[string]string)) Act {
		return Act{fmt.Sprintf("%s %s %s", what, kind.Kind, name), func() { s.annotate(kind, name, change) }}
	}
	value, paused := stored[clusterv1.PausedAnnotation]
	acts := []Act{
		act("a person pauses", func(all map[string]string) { all[clusterv1.PausedAnnotation] = "maintenance" }),
		act("a program replaces all annotations of", func(all map[string]string) { clear(all) }),
		act("a person restores a backup of", s.backup),
	}
	switch _, marked := stored[mhcspec.UpgradeMarker]; {
	case paused && marked:
		acts = append(acts, act("a person takes the marker off", func(all map[string]string) { delete(all, mhcspec.UpgradeMarker) }))
		fallthrough
	case paused && value != mhcspec.HandedOverValue:
		acts = append(acts, act("a person resumes", resume(false)), act("a person resumes, and tidies up,", resume(true)))
	case paused:
		acts = append(acts, act("a person takes back", resume(false)))
	default:
		acts = append(acts, act("another program pauses", func(all map[string]string) {
			all[clusterv1.PausedAnnotation], all[mhcspec.UpgradeMarker] = "", ""
		}))
	}
	if value != mhcspec.HandedOverValue {
		acts = append(acts, act("a person hands over", func(all map[string]string) { all[clusterv1.PausedAnnotation] = mhcspec.HandedOverValue }))
	}
	if stored[pause.OptionAnnotation] == "false" {
		return append(acts, act("a person excepts no longer", func(all map[string]string) { delete(all, pause.OptionAnnotation) }))
	}
	return append(acts, act("a person excepts", func(all map[string]string) { all[pause.OptionAnnotation] = "false" }))
}

// resume takes the pause off, and the marker too if it is to be tidy.
func resume(tidy bool) func(map[string]string) {
	return func(all map[string]string) {
		delete(all, clusterv1.PausedAnnotation)
		if tidy {
			delete(all, mhcspec.UpgradeMarker)
		}
	}
}

// backup replaces all annotations by those of a pause for an upgrade that is long over.
func (s Scene) backup(all map[string]string) {
	then := s.Now.Add(-24 * time.Hour).UTC().Format(time.RFC3339)
	clear(all)
	all[clusterv1.PausedAnnotation], all[mhcspec.UpgradeMarker] = mhcspec.UpgradeValue, ""
	all[pause.HandledAnnotation], all[pause.PausedAtAnnotation] = pause.ClusterVersionIDs+then, then
}

// Resume takes everybody's pause off the health check but Sickbay's, which Sickbay must take off itself.
func (s Scene) Resume() {
	check := s.Find(kinds.HealthCheck, kinds.CheckName)
	if check == nil || pause.Ours(check.GetAnnotations()) {
		return
	}
	s.annotate(kinds.HealthCheck, kinds.CheckName, resume(true))
}
