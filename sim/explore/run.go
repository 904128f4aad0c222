package explore

import (
	"github.com/sickbay-dev/sickbay/sim/explore/history"
	"github.com/sickbay-dev/sickbay/sim/explore/monitor"
	"github.com/sickbay-dev/sickbay/sim/explore/schedule"
	"github.com/sickbay-dev/sickbay/sim/explore/worlds"
)

// Replay runs a history again, and tells it.
func Replay(spec *worlds.Spec, plant *history.Plant, s schedule.Schedule, tell func(string)) history.Result {
	return run(spec, plant, schedule.NewReplay(s), tell)
}

// run runs one history.
func run(spec *worlds.Spec, plant *history.Plant, strategy schedule.Strategy, tell func(string)) history.Result {
	w := history.New(spec, plant, strategy, tell)
	m := monitor.Watch(w)
	w.Run()
	m.End()
	return w.Result()
}
