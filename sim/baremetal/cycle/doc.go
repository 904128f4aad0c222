// Package cycle proves that a sick host is power-cycled, and never at the price of its data.
//
// Package reboot runs here on a real API server, with the real kinds, against the simulated operator of package
// baremetal and machines that boot and register their Nodes. The API server plays the workload cluster too. At each
// write to a Node the truth is asked, and not the record: the machine has to be without power, and held off.
//
// Most tests have a time of their own and call the controllers by hand, one look after the other, so that a
// deadline costs nothing and a process can be ended at each of its writes. The others run a manager, as in production,
// and show that the controllers are woken when they have to be.
//
// make test-bmo has the real operator switch the hosts, with one process for each. It switches at once and never fails, so
// tests that need it slow, or out of reach, are left to the simulated one; what it says in its log is the truth about power.
// The clock goes on by itself there, and still gets ahead where there are only minutes to be waited for.
//
// There is no code here but that of the tests.
package cycle
