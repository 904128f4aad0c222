package plants

import (
	"time"

	configv1 "github.com/openshift/api/config/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/rules"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// plantsOfPauses break the rules about health checks while a cluster upgrades.
var plantsOfPauses = []*history.Plant{
	{
		Name: "takes all pauses for its own", World: upgradeWorld(worlds.Pausers), Rule: rules.Theirs,
		About: "a person's pause looks like one of Sickbay's",
		Change: showingChecks(func(all map[string]string) {
			if _, paused := all[clusterv1.PausedAnnotation]; paused {
				all[clusterv1.PausedAnnotation], all[mhcspec.UpgradeMarker] = mhcspec.UpgradeValue, ""
			}
		}),
	},
	{
		Name: "never begins", World: upgradeWorld(), Rule: rules.AtOnce,
		About:  "a pause is never written",
		Change: losingPauses(func(changes map[string]*string) bool { return changes[clusterv1.PausedAnnotation] != nil }),
	},
	{
		Name: "sees upgrades everywhere", World: upgradeWorld(), Rule: rules.NeedsUpgrade,
		About:  "an OpenShift that only reconciles seems to upgrade",
		Change: shows(func(cv *configv1.ClusterVersion) { cv.Status.History[0].State = configv1.PartialUpdate }),
	},
	{
		Name: "does not take no", World: upgradeWorld(worlds.Pausers), Rule: rules.Overrides,
		About: "nobody sees what has been paused before",
		Change: showingChecks(func(all map[string]string) {
			if _, paused := all[clusterv1.PausedAnnotation]; !paused {
				delete(all, pause.HandledAnnotation)
				delete(all, mhcspec.UpgradeMarker)
			}
		}),
	},
	{
		Name: "unread is over", World: upgradeWorld(worlds.Readings), Rule: rules.Lasts,
		About:  "a ClusterVersion that cannot be read seems to be none",
		Change: unreadIsOver,
	},
	{
		Name: "never resumes", World: upgradeWorld(), Rule: rules.Resumes,
		About:  "the end of a pause is never written",
		Change: losingPauses(func(changes map[string]*string) bool { return changes[mhcspec.ResumedAtAnnotation] != nil }),
	},
	{
		Name: "all are back", World: upgradeWorld(worlds.Pools), Rule: rules.Settles,
		About:  "all Nodes seem to be Ready",
		Change: allBack,
	},
	{
		Name: "takes what was handed over", World: upgradeWorld(worlds.Pausers), Rule: rules.PutBack,
		About: "what was handed over is not so any more when a pause ends",
		Change: changingPauses(func(changes map[string]*string) bool {
			if changes[mhcspec.ResumedAtAnnotation] != nil {
				changes[clusterv1.PausedAnnotation] = nil
			}
			return true
		}),
	},
	{
		Name: "notes only the first", World: upgradeWorld(worlds.Pools), Rule: rules.Noted,
		About: "what begins during a pause is not noted",
		Change: losingPauses(func(changes map[string]*string) bool {
			_, pauses := changes[mhcspec.UpgradeMarker]
			return !pauses && changes[pause.HandledAnnotation] != nil && *changes[pause.HandledAnnotation] != ""
		}),
	},
	{
		Name: "warns nobody", World: upgradeWorld(), Rule: rules.Warned,
		About:  "a warning of a long pause is never written",
		Change: losingPauses(func(changes map[string]*string) bool { return changes[pause.WarnedAtAnnotation] != nil }),
	},
	{
		Name: "marked during an upgrade", World: unfinished(deferring(worlds.Upgrade, worlds.Nodes)), Rule: rules.Paused,
		About: "a pause for an upgrade keeps a mark from being withdrawn, and the owner deletes the machine in the middle of the upgrade, healthy or not",
		Change: func(p *history.Process, with history.Parts) history.Parts {
			return keepingMarks(p, with, func(*clusterv1.Machine) bool { return paused(p.World) })
		},
	},
}

// upgradeWorld returns a world in which OpenShift upgrades.
func upgradeWorld(actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerReplaces, 1, append(actors, worlds.Upgrade)...)
	s.Machines, s.Sick, s.Watch = 1, 0, 8*time.Hour
	return s
}

// deferring returns a world whose owner defers.
func deferring(actors ...worlds.Actor) *worlds.Spec {
	s := plantWorld(worlds.OwnerDefers, 1, actors...)
	s.Machines, s.Sick = 1, 1
	return s
}
