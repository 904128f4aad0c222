// Package tracing shows the way of an incident through the controllers as spans of OpenTelemetry: the verdict, the admission, the
// record, what was done, and the proof that it has helped.
//
// All spans of an incident are in one trace, whose ID is the UID of its MachineRemediation, below one span, whose ID follows from
// that, too. So nothing has to be carried from one controller to the next, or over a restart. What has a beginning and an end in
// the record gets its span when it is over, with the times that are stored there.
package tracing
