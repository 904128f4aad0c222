// Package memory says where in its plan a repair goes on that was begun before: on the same machine or host, or on the one
// whose place the machine has taken.
//
// It is rules 9 and 12 of a record. A relapse is the same machine or host, sick for the same reason, within the plan's window
// after the end of a record that has tried a repair. The new record begins at the step after the last that was tried. A
// machine that falls sick before it has proven itself in the place of another continues the chain of that one: the attempts of
// Replace count along the chain, and once they are used up the new record begins after that step.
//
// An attempt has tried a repair if its act was made and it counts: Replace, Reboot, and a Request that has to make the machine
// healthy. Wait, Hold and evidence repair nothing. What was refused, aborted or cancelled has not been tried: it uses up
// nothing within a record either, and to leave it out would lead to the graver step that comes after it.
//
// A plan can be edited between two records. A step is the same if its name and its action are. A step that was tried and that
// the plan does not have any more is passed over: the last one that it still has decides, and if it has none of them, the plan
// is a new one and begins at its first step. To guess which new step stands for an old one could skip what was never tried.
//
// All of it is a function of the records. Nothing else is stored.
package memory
