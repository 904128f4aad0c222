package pause

import (
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Reading is what a signal says to one MachineHealthCheck about one subject. The zero value is that it has nothing to
// do with it.
type Reading struct {
	// Subject is who may be upgrading.
	Subject *corev1.ObjectReference
	// IDs is how the IDs of its upgrades begin.
	IDs string
	// Off tells that the subject does not want to have anything paused for its upgrades, and Excepted not for those of others either.
	Off, Excepted bool
	// Upgrades are those that are going on.
	Upgrades []Upgrade
	// Elsewhere tells that they do not concern this MachineHealthCheck now. One that is noted on it may do so again: for it, that one
	// has halted.
	Elsewhere bool
	// Err says why that is not known, or not in full: then nothing is resumed that is paused for one of its upgrades. It is
	// ErrStarting while there is hope that it will be known in a moment.
	Err error
}

// Upgrade is one that is going on, or that has halted.
type Upgrade struct {
	// ID tells it from the one before and the one after. It has no comma in it.
	ID string
	// Text says who upgrades to what: "OpenShift upgrades to 4.17.3".
	Text string
	// Since is when it began; zero if that is not known.
	Since time.Time
	// Halted says that it does not go on now, and is not over: nothing is paused for it, and who has unpaused something for it
	// is not forgotten until another one begins.
	Halted bool
	// Stuck says why it does not get on; empty if it does.
	Stuck string
	// Follows is how the IDs of upgrades begin that this one is a part of; empty is none. Who has unpaused something for one of those
	// has done so for this one.
	Follows string
}

// follows reports whether it is a part of one of these.
func (u Upgrade) follows(ids []string) bool {
	return u.Follows != "" && slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, u.Follows) })
}

// Going reports whether one of some upgrades goes on.
func Going(upgrades []Upgrade) bool {
	return slices.ContainsFunc(upgrades, func(u Upgrade) bool { return !u.Halted })
}

// ErrStarting says that a kind is being read for the first time.
var ErrStarting = errors.New("not read yet")
