package upgradepause

import (
	"fmt"
	"time"

	"github.com/sickbay-dev/sickbay/internal/testing/pausing"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// Short names, which the tests of package pause also use.
const (
	keyPaused  = pausing.KeyPaused
	keyMarker  = pausing.KeyMarker
	keyHandled = pausing.KeyHandled
	keySince   = pausing.KeySince
	keyWarned  = pausing.KeyWarned
	keyResumed = pausing.KeyResumed
	keyOption  = pausing.KeyOption

	warnAfter    = pausing.WarnAfter
	settleWithin = pausing.SettleWithin

	workerRole, infraRole = pausing.WorkerRole, pausing.InfraRole

	lookAgain, lookSoon = 30 * time.Second, 250 * time.Millisecond
	warnEvery           = time.Hour
	mostAnew            = 3
)

type stored = pausing.Stored

var (
	noon, one                               = pausing.Noon, pausing.One
	at, ours, handedOver, settling, resumed = pausing.At, pausing.Ours, pausing.HandedOver, pausing.Settling, pausing.Resumed
	workers                                 = pausing.Workers
)

func upgrading(ids ...string) []pause.Upgrade {
	var upgrades []pause.Upgrade
	for _, id := range ids {
		upgrades = append(upgrades, pause.Upgrade{ID: id, Text: fmt.Sprintf("Upgrade %s goes on", id), Since: noon})
	}
	return upgrades
}
