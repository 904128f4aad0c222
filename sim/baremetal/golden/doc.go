// Package golden holds what is known of the operator of bare-metal hosts, as cases that it must pass:
// how it takes the annotations that hold a host off, and what it does while a host is paused or detached,
// or while it does not run itself.
//
// The cases are written once, against the API. Run against the real operator they prove that they are
// true; run against the simulated one they prove that it is like the real one. Each case has a
// namespace, a host and an operator of its own: the real one, run without hardware, has one power
// state for all hosts.
//
// Most cases end with something that does not happen. Where the host is off, a case does not wait and
// see: it adds the plain reboot annotation, which the operator takes away from a host that is off. When it
// is gone, the operator has looked at the host, and has seen all that was there before.
package golden
