// Package quorum answers: may the host of this control-plane machine be switched off now?
//
// Three rules decide. First, only one machine of a control plane is cycled at a time, without exception. Second, if a cycle
// has left a host off, no other host is switched off. Third, enough of the others must stay up: as many machines as etcd needs
// for its quorum, or one if etcd runs elsewhere. Only a person may permit an exception to the last two rules: if a management
// cluster on its own hosts lost its quorum, nobody could switch the host on again.
//
// The package is pure: it gets facts, and returns why the host has to wait. The package reboot reads the facts.
package quorum
