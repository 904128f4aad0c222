// Package memory says where in its plan a repair begins if an earlier repair came before it: of the same machine or host, or of the
// machine that this one replaced.
//
// A relapse is the same machine or host, sick for the same reason, within the plan's
// window after the end of a record that tried a repair. The new record begins at the step after the last one tried. A replacement
// that falls sick before it has proven itself continues the chain of the machine before it: the attempts of Replace count along the
// chain, and once they are used up the new record begins after that step.
//
// An attempt has tried a repair if somebody began it and it counts: Replace, once the machine was being deleted; Reboot, once its power
// cycle began; and a Request that has to make the machine healthy. Wait, Hold and evidence repair nothing. What was only asked for has tried
// nothing: it does not count within a record either, and counting it would lead to a more drastic step too early.
//
// A plan can change between two records. A step is the same if its name and its action are. A tried step that the plan no longer
// has is skipped: the last one that it still has decides, and if it has none, the plan is new and begins at its first step.
// Guessing which new step replaces an old one could skip a step that was never tried.
//
// All of it is a function of the records. Nothing else is stored.
package memory
