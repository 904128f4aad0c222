// Package explore searches the histories of small worlds for one in which Sickbay breaks a rule.
//
// Packages import in one direction only, from the search down: explore; monitor and plants; history and pauses; upgrade; worlds, schedule, rules,
// metal and apimodel; kinds.
//
// A world has machines, their owner and hosts, people, what upgrades, and one or two managers. Package metal plays the hosts, and package upgrade what
// upgrades. Package pauses knows what people want of health checks meanwhile. The managers are all real
// Reconcilers, which read and write through a model of the API server. Everything unusual is an option at some point of the run:
// a write is lost, a cache lags behind, a process dies, an old leader keeps running, somebody pauses. A run is determined by its
// world and its schedule: the list of points at which it deviates, and how. Schedules are drawn by seed, or enumerated.
//
// After each write, the monitor compares what was done with the real state. At the end, no more faults come and nobody intervenes:
// the world must settle in good order. Then hosts, owners and people cooperate, and all machines must become healthy.
package explore
