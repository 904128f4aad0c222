// Package repair holds the packages that carry every repair, from its admission to its end. It has no code of its own.
//
// Two controllers work here, and neither calls the other. machinehealthcheck asks whether a sick machine may be repaired now, and
// makes its record; remediation takes each record from step to step. What they decide is pure: admission, with memory and pacing, decides
// what may begin; ladder, with rules, decides the next step of a record; retention decides which records may go. onmachine reads what a Machine
// itself says, silence whether its owner answers, successor which machine replaces another, and timeline when the parts of a repair happened.
//
// One path leads to a slot: ladder says who has one (slot.go), admission who gets one (decide.go), machinehealthcheck grants it (writer.go), and slots
// reads, for both controllers, what is counted: machines, records and the gate.
package repair
