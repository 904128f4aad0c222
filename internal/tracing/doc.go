// Package tracing shows the path of an incident through the controllers as OpenTelemetry spans: the verdict, the admission, the
// record, the acts, and the proof that they helped.
//
// All spans of an incident are in one trace, below one root span. The IDs of both derive from the UID of the MachineRemediation,
// so nothing has to be passed between controllers or across a restart. Whatever has a beginning and an end in the record gets its
// span when it is over, with the times stored there.
package tracing
