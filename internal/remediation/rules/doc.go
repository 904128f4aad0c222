// Package rules says where in its plan a repair begins, by the rules of a MachineRemediationTemplate.
//
// A rule is an expression in CEL over a declared [Input]: what the verdict is about, the machine, and what was tried before.
// [Compile] makes [Rules] of a plan, once for each generation of its template (see [Cache]), and says in one sentence what is
// wrong with a rule. [Rules.StartAt] asks the rules in their order; the first that is true decides. A rule that cannot be
// evaluated, since a key is missing or it costs too much, is an error: it never counts as one that is not true.
//
// # What a rule sees
//
//	findings    list   what the verdict is about
//	  .source          Node or Machine
//	  .type            type of the condition
//	  .status          True, False or Unknown
//	  .reason          its reason, which is where some detectors name the fault
//	  .message         its message, which is where others recommend an action
//	machine
//	  .name            name of the Machine
//	  .labels          map; labels['x'] is an error without that label, 'x' in labels and labels[?'x'] are not
//	  .annotations     map
//	  .controlPlane    bool
//	  .failureDomain   empty if there is none
//	  .owner.kind      kind of the controller that owns the Machine, empty if none does
//	  .owner.name
//	attempts    list   the attempts of this repair so far, the oldest first
//	  .step            name of the step
//	  .result          empty while the attempt is at work
//
// Findings are the conditions of the Node and of the Machine that match what their MachineHealthCheck calls unhealthy. Other
// conditions are not among them: a detector leaves its last message where it was when a fault has passed, and Ready=True is on
// every Node, so a rule would match what is not so any more. A condition that matches is a finding before its timeout is over:
// once a machine is sick, everything that is known about it counts. If the verdict is about no condition (there is no Node, or
// the Machine has failed), the verdict is a finding itself: source Machine, type HealthCheckSucceeded, status False, with the
// reason and the message of the verdict.
//
// # The language
//
// CEL with its standard functions and macros, and optional values (labels[?'x'].orValue('none')). Names and types are checked by
// Compile. Left out is what could keep a controller busy for ever whatever [CostLimit] says: lists of lists, adding lists, dyn,
// building messages, many macros and deep nesting.
package rules
