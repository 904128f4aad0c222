package pause

import (
	"errors"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Reading is what a signal reports about one subject to one MachineHealthCheck.
type Reading struct {
	// Subject is the object that may be upgrading.
	Subject *corev1.ObjectReference
	// IDs is the prefix of the IDs of its upgrades.
	IDs string
	// Off means that nothing is paused for the subject's upgrades. Excepted means that nothing is paused for upgrades of others
	// either.
	Off, Excepted bool
	// MayBeExcepted means that this will be known in a moment.
	MayBeExcepted bool
	// Upgrades are the upgrades in progress.
	Upgrades []Upgrade
	// Err says why the upgrades are not known, or not all of them. Then nothing that is paused for one of them is resumed. It is
	// ErrStarting if they may be known in a moment.
	Err error
}

// Upgrade is an upgrade that is in progress or has halted.
type Upgrade struct {
	// ID distinguishes it from the upgrades before and after it. It contains no comma.
	ID string
	// Text says what upgrades to which version: "OpenShift upgrades to 4.17.3".
	Text string
	// Halted means that it is neither going on nor over. Nothing is paused for it, but overrides for it are kept until another
	// upgrade begins.
	Halted bool
	// Stuck says why it makes no progress; empty if it does.
	Stuck string
	// Follows is the ID prefix of the upgrades that this one is part of; empty if there are none. An override of one of those also
	// holds for this one.
	Follows string
}

// follows reports whether it is part of one of these upgrades.
func (u Upgrade) follows(ids []string) bool {
	return u.Follows != "" && slices.ContainsFunc(ids, func(id string) bool { return strings.HasPrefix(id, u.Follows) })
}

// Going reports whether one of the upgrades goes on.
func Going(upgrades []Upgrade) bool {
	return slices.ContainsFunc(upgrades, func(u Upgrade) bool { return !u.Halted })
}

// ErrStarting means that a kind is being read for the first time.
var ErrStarting = errors.New("not read yet")
