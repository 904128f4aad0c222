// Package rights has Sickbay run, in every end-to-end scenario, as a ServiceAccount with the rights that the chart gives it and no
// others. What it asks of the API server is in the server's audit log: what is denied there fails the scenarios, and what no scenario has
// asked for is surplus.
//
// Each role in config/rbac is generated from the markers of one controller. An Account has those of the controllers that run, as in
// the chart, so scenarios in which each controller is a process of its own say of each role whether it is enough, and no more.
package rights
