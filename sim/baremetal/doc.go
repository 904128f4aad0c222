// Package baremetal simulates the operator that switches bare-metal hosts on and off, and the machines
// behind them.
//
// The BareMetalHost objects are real, on a real API server, and a controller that remediates hosts works on
// them as in production. The simulated operator follows baremetal-operator 0.13.2 step by step; package
// golden holds the cases that both pass. The simulation does what the real operator cannot do in a test: it
// can be slow, refuse orders, lose its connection to the machine, show old state or not run at all.
//
// Each host has three layers, and a test can look at each of them:
//
//   - The machine is the truth. It has power or not, it remembers when that changed, and a Program runs on
//     it while it has power.
//   - The management controller (BMC) carries out one order at a time, and may fail. It lives as long as
//     the simulation: stopping the operator does not stop an order.
//   - The operator looks, writes what it saw into status.poweredOn, and gives orders. It can be
//     stopped and started again.
//
// Only the first layer decides whether fencing was right:
//
//	op, err := baremetal.Start(ctx, cfg, baremetal.Options{})
//	defer op.Close()
//	host := op.Host(key)
//	host.Set(baremetal.Faults{SoftIgnored: true, OffTakes: time.Second})
//	// ... something decides that the host is off ...
//	if !host.OffAt(decided) { ... }
//
// Times are a hundredth of production's unless Options says otherwise. With a fake clock, only the test
// makes time pass.
//
// Left out: all steps before a host is available, and those between two images, take no time; hardware is
// not inspected, images are not written, BMC credentials are not checked, there are no events, and the only
// conditions are Manageable, Provisioned and Ready.
package baremetal
