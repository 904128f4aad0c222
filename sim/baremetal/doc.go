// Package baremetal simulates the operator that switches bare-metal hosts on and off, together with
// the machines behind them.
//
// The BareMetalHost objects are real, on a real API server, and a controller that remediates hosts works on
// them as in production. The operator is imitated step by step as version 0.13.2 of
// baremetal-operator behaves; package golden holds the cases that the imitation and the real one
// both pass. What the real one cannot do in a test is what this one is for: it can be slow, refused,
// cut off from the machine, behind the times or not running at all.
//
// Each host has three layers, and a test can look at each of them:
//
//   - The machine is the truth. It has power or it has not, it remembers when that changed, and
//     a Program runs on it as long as it has power.
//   - The management controller (BMC) carries out one order at a time, and may fail. It lives as long
//     as the simulation: a stopped operator does not stop an order.
//   - The operator looks, writes what it saw into status.poweredOn, and gives orders. It can be
//     stopped and started again.
//
// Fencing is right or wrong by the first layer alone:
//
//	op, err := baremetal.Start(ctx, cfg, baremetal.Options{})
//	defer op.Close()
//	host := op.Host(key)
//	host.Set(baremetal.Faults{SoftIgnored: true, OffTakes: time.Second})
//	// ... something decides that the host is off ...
//	if !host.OffAt(decided) { ... }
//
// Times are a hundredth of production's unless Options says otherwise, and with a fake clock no time
// passes that the test does not want to pass.
//
// Left out: everything before a host is available and between two images takes no time, hardware is
// not inspected, images are not written, BMC credentials are not looked at, nothing is published as an
// event, and of the conditions there are Manageable, Provisioned and Ready.
package baremetal
