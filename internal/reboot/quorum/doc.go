// Package quorum answers: may the host of this control-plane machine be switched off now?
//
// Three rules decide. Of a control plane, one machine is cycled at a time, without exception. A host that a cycle has left off
// is not joined by a second one. And the rest has to stay up: as many machines as etcd needs for its quorum, or one if etcd
// runs elsewhere. A person may permit to break the last two; nothing else may, since a management cluster that runs on the
// hosts that it manages could never switch the host on again.
//
// It is pure: facts in, a decision with its sentence out. What it goes by is read by the package reboot.
package quorum
