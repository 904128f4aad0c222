// Package baremetal tests that hanging hosts are power-cycled, with the real binary in a world with
// hosts.
package baremetal
