// Package e2e holds the end-to-end tests: they run Sickbay, as a process or in this one, in a world with the real controllers of Cluster API.
//
// All tests of a test binary share one world. Each has its own namespaces and a Sickbay that watches only those. They run in parallel, because
// they mostly wait.
//
// The tests do not repeat what the explorer searches in virtual time: how far a cache lags, and what goes wrong with a write. Its test
// TestEachWriteGoesWrong makes every write of every remedy go wrong in every way, crashes included. That a real process starts anew from what a
// real API server has stored is shown by TestKilled and TestStandbyTakesOver.
package e2e
