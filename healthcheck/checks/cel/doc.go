// Package cel judges objects of any kind by expressions in CEL, the Common Expression
// Language (https://cel.dev). The users of a program can write them in its
// configuration, and they are those that Flux knows as healthCheckExprs:
//
//	inProgress: status.phase == 'Creating'
//	failed: status.phase == 'Broken'
//	current: status.phase == 'Ready'
//	message: status.?message.orValue('')
//	within: 5m
//
// [Compile] makes a [Program] of such a [Rule], once; what is wrong with a rule is said
// then, with line and column. [Check] makes a check of a program, for the object under
// examination; [For] makes a rule of it for package checks, which looks at the objects
// that this one depends on. [Program.Evaluate] is what both do, for use without the
// engine.
//
// # The verdict
//
// The order is that of Flux. The first that holds counts:
//
//  1. metadata.generation and status.observedGeneration are numbers and differ:
//     Progressing, with checks.ReasonNotObserved. No expression is asked, for the
//     status is about something that is not wanted any more.
//  2. inProgress: Progressing.
//  3. failed: False.
//  4. current: True.
//  5. Nothing of that: Progressing.
//
// So there is one way to True: current holds, on an object that does not say it is
// outdated. Progressing becomes False after Rule.Within; each generation of the object
// has a clock of its own, which goes on from when it was seen first until the object is
// True.
//
// # What an expression sees
//
// The top-level fields of the object are variables: apiVersion, kind, metadata, spec,
// status, and data. There is no self and no object. With Flux any field is a variable,
// and a misspelt one is noticed only when an object is there. Here the others are named
// in Rule.Fields, so that Compile can notice.
//
// The language is what Flux has: the macros of CEL with optional values
// (status.?ready.orValue(false)), and the extensions strings, sets, and encoders. Compile
// checks the types as far as they are known; those in an object are seen in a run.
//
// # What is not there
//
// A field that is not there is an error, as with Flux, and the object is Unknown with
// healthcheck.ReasonCheckFailed until it changes. For the fields of a field there are
// has(status.phase) and status.?phase. For status itself CEL has neither: an object is
// Unknown until its controller has written a status. One of a Go type has a status
// from the beginning if that is a struct, though an empty one.
//
// An absent list needs a thought. This is true if there is no condition Ready at all:
//
//	status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')
//
// and this is not:
//
//	status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
//
// # Message and codes
//
// The message must be the same for the same problem: no counters, no times, and
// nothing made of all keys of a map, since those have no order. If message or codes
// cannot be evaluated, the verdict stands, and its message says why.
//
// # Limits
//
// An expression stops with an error past 100,000 units of cost, and when the context ends. To read a field, to call
// a function, or to look at ten characters costs about one. Compile
// refuses one that would pass the limit even on an ordinary object. This is against
// accidents, such as a macro within a macro over long lists; it does not make it safe to
// run the expressions of strangers.
package cel
