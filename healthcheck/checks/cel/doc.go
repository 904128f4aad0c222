// Package cel judges objects of any kind by expressions in CEL, the Common Expression Language (https://cel.dev).
// Users of a program can write them in its configuration. They are the expressions that Flux calls
// healthCheckExprs:
//
//	inProgress: status.phase == 'Creating'
//	failed: status.phase == 'Broken'
//	current: status.phase == 'Ready'
//	message: status.?message.orValue('')
//	within: 5m
//
// [Compile] compiles a [Rule] into a [Program], once, and reports mistakes in the rule with line and column.
// [Check] turns a program into a check of the object itself; [For] turns it into a rule for package checks, to
// judge objects that the checked object depends on. [Program.Evaluate] is what both call, for use without the
// engine.
//
// # The verdict
//
// The order is that of Flux. The first match counts:
//
//  1. metadata.generation and status.observedGeneration are numbers and differ: Progressing, with
//     checks.ReasonNotObserved. No expression is evaluated, because the status is about an outdated spec.
//  2. inProgress: Progressing.
//  3. failed: False.
//  4. current: True.
//  5. None of these: Progressing.
//
// So there is one way to True: current holds, on an object that does not say it is outdated. Progressing becomes
// False after Rule.Within. Each generation of the object has its own clock, which starts when the generation is
// first seen and runs until the object is True.
//
// # What an expression sees
//
// The top-level fields of the object are variables: apiVersion, kind, metadata, spec, status, and data. There is no
// self and no object. In Flux any field is a variable, so a misspelt one is noticed only at evaluation. Here, list
// other fields in Rule.Fields, so that Compile notices.
//
// The language is that of Flux: the macros of CEL with optional values (status.?ready.orValue(false)), and the
// extensions strings, sets, and encoders. Compile checks the types as far as they are known; evaluation checks
// those of the object's fields.
//
// # Missing fields
//
// A missing field is an error, as in Flux, and the object is Unknown with healthcheck.ReasonCheckFailed until it
// changes. To test for nested fields, use has(status.phase) or status.?phase. CEL has no such test for status
// itself: an object is Unknown until its controller has written a status. An object of a Go type whose status is a
// struct always has one, even if it is empty.
//
// Be careful with missing list items. This is true if there is no condition Ready at all:
//
//	status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')
//
// and this is not:
//
//	status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')
//
// # Message and codes
//
// The message must be the same for the same problem: no counters, no times, and nothing made from all keys of a
// map, since those have no order. If message or codes cannot be evaluated, the verdict stands, and its message says
// why.
//
// # Limits
//
// An expression stops with an error when it exceeds 100,000 units of cost, or when the context ends. Reading a
// field, calling a function, or looking at ten characters costs about one unit. Compile refuses an expression that
// would exceed the limit even on an ordinary object. The limit prevents accidents, such as a macro within a macro
// over long lists; it does not make it safe to run the expressions of strangers.
package cel
