// Package rights makes Sickbay run, in every end-to-end scenario, as a ServiceAccount with only the rights that the chart gives it. The
// API server's audit log shows what Sickbay requested: a denied request fails the scenarios, and a right that no scenario uses is
// surplus.
//
// Each role in the chart is generated from the markers of one controller. As in the chart, an Account has the roles of the
// controllers that run. So scenarios in which each controller runs in its own process show for each role whether it is sufficient and
// minimal.
package rights
