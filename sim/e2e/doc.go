// Package e2e holds the end-to-end tests: they run Sickbay, as a process or in this one, in a world with the real controllers of Cluster API.
//
// All tests of a test binary share one world. Each has its own namespaces and a Sickbay that watches only those. They run in parallel, because
// they mostly wait.
//
// # Mishaps
//
// A fault.Wire is between a manager and its API server. Each test first plays its story without a mishap, and the wire records the writes and
// watch events. Then the test plays the story again for each chosen moment and mishap. At a write, the manager crashes before or after it, the
// answer is lost, or the API server refuses it with a conflict or an error 500. With -everything, the events of a kind also come late, or are
// lost until the cache lists again. Each run must reach the same end. In the cases of TestMishaps, there is one record, and at most one mark.
//
// The tests do not repeat what the explorer searches in virtual time: which of many writes it is, in which phase of which plan, how far a cache
// lags. Its test TestEachWriteGoesWrong makes every write of every remedy go wrong in every way, not only the first of a kind. It cannot show
// that the real client, the real caches and the real API server behave like its model. For that, one write of each kind is enough, in the story
// that makes it soonest. So every test run tries these, each in one of the cases:
//
//   - a crash after the first write of each kind: verdict and its withdrawal, adoption and counts of a MachineHealthCheck, creation, admission,
//     attempt and end of a record, mark, deletion, request and its end, power cycle and its sign on the Machine; and both writes of
//     upgradepause, which the explorer does not have;
//   - a crash before the withdrawal, the end of a request, and both writes of upgradepause: before each, something outside Sickbay has
//     changed. Crashes before other writes are left to the explorer;
//   - lost answers, conflicts and errors at each verb: apply, create, delete, update and patch.
//
// If none of the cases tries a kind of write, the test fails. The exceptions are the writes of a power cycle, which sim/baremetal/cycle
// tries.
//
// With -args -everything, the tests try all mishaps at all writes and watch events of these cases, and of the stories that the demo tells:
// TestMishapsInStories, which takes hours. They leave out events and leases, because nothing depends on them, and connections to workload
// clusters, because those break in a story of their own.
package e2e
