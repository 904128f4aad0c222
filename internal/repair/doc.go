// Package repair is the floor of every repair, from its admission to its end. It holds no code of its own.
//
// Two controllers share the floor, and neither calls the other. machinehealthcheck asks whether a sick machine may be repaired now, and
// makes its record; remediation takes each record from step to step. What they decide is pure: admission, with memory and pacing, decides
// what may begin; ladder, with rules and retention, decides the next step of a record. onmachine reads what a Machine itself tells.
package repair
