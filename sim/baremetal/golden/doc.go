// Package golden holds what is known about the operator of bare-metal hosts, as cases that it must pass:
// how it treats the annotations that keep a host off, and what it does while a host is paused or detached,
// or after the operator itself was down.
//
// The cases are written once, against the API. Run against the real operator, they prove that they are
// true; run against the simulated one, they prove that it behaves like the real one. Each case has its own
// namespace, host and operator, because the real one, run without hardware, has one power state for all
// hosts.
//
// Most cases end with something that does not happen. If the host is off, a case does not just wait: it
// adds the plain reboot annotation, which the operator removes from a host that is off. Once it is gone,
// the operator has looked at the host and has seen everything that was there before.
package golden
