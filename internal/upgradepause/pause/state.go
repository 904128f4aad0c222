package pause

// state is the relation of a MachineHealthCheck to the upgrades of its cluster.
type state int

const (
	// excepted: we pause it, and it is excepted from pauses.
	excepted state = iota
	// unnamed: another program has marked it, for upgrades that cannot be identified now.
	unnamed
	// over: we pause it, and no upgrade goes on.
	over
	// ongoing: we pause it, and an upgrade goes on or may go on.
	ongoing
	// foreign: somebody else pauses it.
	foreign
	// free: it should not be paused now: no upgrade goes on, it is or may be excepted, or somebody has unpaused it. An override holds while its
	// upgrade goes on, even if others begin.
	free
	// due: it should be paused.
	due
)

// state returns the first state that applies.
func (f Facts) state() state {
	holder := holderOf(f.Annotations)
	switch {
	case holder == us && f.excepted():
		return excepted
	case len(f.Unknown) > 0 && f.unrecorded():
		return unnamed
	case holder == us && len(f.going()) == 0:
		return over
	case holder == us:
		return ongoing
	case holder == somebody && !f.excepted():
		return foreign
	case f.excepted(), f.MayBeExcepted, len(f.active()) == 0, f.lifted():
		return free
	}
	return due
}
