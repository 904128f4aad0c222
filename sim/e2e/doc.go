// Package e2e holds the end-to-end tests: Sickbay, as a process or in this one, in a world with the real
// controllers of Cluster API.
//
// All tests of a test binary share one world. Each has namespaces of its own and a Sickbay that
// looks at nothing else, so they run side by side, which they should: they mostly wait.
//
// # Mishaps
//
// A fault.Wire stands between a manager and its API server. A run without mishap shows which writes and watch events a story
// has; then it is run again for each of them, and one thing goes wrong: the manager crashes before or after the write, the
// answer is lost, the write is refused with a conflict or an error 500, the events of the kind come late or are lost until the
// cache lists anew. Each run must come to the same end, with one record and one mark.
//
// What the explorer has searched in virtual time is not searched here again: which of many writes it is, in which phase
// of which plan, how far a cache lags. Its test TestEachWriteGoesWrong has every write of every remedy go wrong in every way, not only the first
// of a kind. What it cannot show is that the real client, the real caches and the real API server
// behave as its model says. For that one write of each kind is enough, in the story that comes to it soonest. So every test run
// tries, each in one of the courses:
//
//   - a crash before and after the first write of each kind: verdict and its withdrawal, adoption and counts of a MachineHealthCheck, creation,
//     admission, attempt and end of a record, mark, deletion, request and its end, annotation; and both writes of upgradepause, which the
//     explorer does not have;
//   - lost answers, conflicts and errors at each verb: apply, create, delete, update and patch.
//
// A write of a kind that none of the courses tries fails the test, but for those of a power cycle, which sim/baremetal/cycle tries.
//
// With -args -everything all mishaps are tried at all writes and watch events of these courses, and at those of the
// stories that the demo tells: TestMishapsInStories, which takes hours. Events and leases are left out, as nothing depends on
// them, and so are the connections to workload clusters: that they break is a story of its own.
package e2e
