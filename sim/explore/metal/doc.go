// Package metal plays bare-metal hosts and the operator that switches them, as Metal3 does. It keeps what really happens apart from what the
// BareMetalHost says, which may be late.
package metal
