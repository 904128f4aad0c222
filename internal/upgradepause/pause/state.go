package pause

// state is how a MachineHealthCheck stands to the upgrades of its cluster.
type state int

const (
	// excepted: we pause it, and nothing is to be paused.
	excepted state = iota
	// unnamed: another program has marked it, for upgrades that nobody can name now.
	unnamed
	// over: we pause it, and no upgrade goes on.
	over
	// ongoing: we pause it, and an upgrade goes on, or may.
	ongoing
	// foreign: somebody else pauses it.
	foreign
	// free: it is not to be paused, as no upgrade goes on, it is excepted, or somebody has unpaused it. Who has for one upgrade is not
	// overruled while that goes on, whatever else begins.
	free
	// due: it is to be paused.
	due
)

// state is the first that applies.
func (f Facts) state() state {
	holder := holderOf(f.Annotations)
	switch {
	case holder == us && f.excepted():
		return excepted
	case len(f.Unknown) > 0 && f.unrecorded():
		return unnamed
	case holder == us && len(f.open()) == 0:
		return over
	case holder == us:
		return ongoing
	case holder == somebody && !f.excepted():
		return foreign
	case f.excepted(), len(f.active()) == 0, len(f.lifted()) > 0:
		return free
	}
	return due
}
