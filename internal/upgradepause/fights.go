package upgradepause

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/recall"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// fights remembers which MachineHealthChecks lost their pause, so that Sickbay does not fight another program for ever. It only
// delays pauses, so a restart may forget it. The zero value is ready; it is safe for concurrent use.
type fights struct{ recall.ByObject[fight] }

type fight struct {
	upgrades  string
	lost      pause.Lost
	announced bool
}

// of returns how often the pause for these upgrades was lost.
func (s *fights) of(key client.ObjectKey, upgrades string) pause.Lost {
	if one := s.Get(key); one.upgrades == upgrades {
		return one.lost
	}
	return pause.Lost{}
}

// paused records that a pause was written.
func (s *fights) paused(key client.ObjectKey, upgrades string, at time.Time) {
	s.Update(key, func(one fight) fight {
		if one == (fight{}) || one.upgrades != upgrades {
			return fight{upgrades: upgrades, lost: pause.Lost{At: at}}
		}
		one.lost = pause.Lost{Count: one.lost.Count + 1, At: at}
		return one
	})
}

// isNews reports whether no event has reported this fight yet.
func (s *fights) isNews(key client.ObjectKey) (news bool) {
	s.Update(key, func(one fight) fight {
		news, one.announced = !one.announced, true
		return one
	})
	return news
}
