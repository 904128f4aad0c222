// Package retention says which records of repairs need not be kept any more.
//
// Memory needs those of the relapse window, and the last ones of each machine and host that is still there. What nothing
// depends on is history for people, and goes after a while.
//
// It is pure: records and the time in, those that go out.
package retention
