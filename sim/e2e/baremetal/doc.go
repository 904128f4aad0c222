// Package baremetal tests that hosts which hang are power-cycled: the real binary, in a world with hosts.
package baremetal
