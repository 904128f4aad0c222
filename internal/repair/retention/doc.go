// Package retention says which records of repairs can be deleted.
//
// Memory needs the records of the relapse window, and the last ones of each existing machine and host. Other records are history
// for people, and expire.
//
// It is pure: records and the time in, the expired ones out.
package retention
