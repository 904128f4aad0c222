// Package cycle proves that a sick host is power-cycled without a risk for its data.
//
// Package reboot runs here on a real API server, with the real kinds, against the simulated operator of package baremetal
// and machines that boot and register their Nodes. The API server is the workload cluster, too. At each write to a Node, the
// tests check the machine itself, not the record: it must have no power, and must be kept off.
//
// Most tests have a fake clock and call the controllers by hand, one look after the other, so a deadline costs nothing and a
// process can end at each of its writes. The others run a manager, as in production, and show that events wake the
// controllers when they should.
//
// make test-bmo runs the tests with the real operator, one process for each host. It switches at once and never fails, so
// tests in which it must be slow or unreachable use only the simulated one. Its log is the truth about power. The clock then
// follows the real time, and jumps ahead where a test would only wait for minutes.
//
// The package consists of tests only.
package cycle
