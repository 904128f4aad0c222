// Package e2e holds the end-to-end tests: they run Sickbay, as a process or in this one, in a world with the real controllers of Cluster API.
//
// All tests of a test binary share one world. Each has its own namespaces and a Sickbay that watches only those. They run in parallel, because
// they mostly wait.
//
// # Crashes
//
// A fault.Wire is between a manager and its API server. Each case of TestMishaps first plays its story undisturbed, and the wire records the
// writes. Then it plays the story again for each chosen write, and the manager crashes just after it, or just before. Each run must reach the
// same end: there is one record, and at most one mark.
//
// The tests do not repeat what the explorer searches in virtual time: which of many writes it is, in which phase of which plan, how far a cache
// lags, and what else may go wrong with a write. Its test TestEachWriteGoesWrong makes every write of every remedy go wrong in every way. It
// cannot show that a real manager starts anew from what a real API server has stored. For that, one write of each kind is enough, in the story
// that makes it soonest:
//
//   - a crash after the first write of each kind: verdict and its withdrawal, adoption and counts of a MachineHealthCheck, creation, admission,
//     attempt and end of a record, mark, deletion, request and its end, power cycle and its sign on the Machine, and both writes of upgradepause;
//   - a crash before the withdrawal, the end of a request, and both writes of upgradepause: before each, something outside Sickbay has
//     changed.
//
// If none of the cases tries a kind of write, the test fails. The exceptions are the writes of a power cycle, which sim/baremetal/cycle
// tries.
package e2e
