// Package rules says where in its plan a repair begins, by the rules of a MachineRemediationTemplate.
//
// A rule is a CEL expression over a declared [Input]: the findings of the verdict, the machine, and earlier attempts. [Compile]
// compiles the rules of a plan, once for each generation of its template (see [Cache]), and describes an invalid rule in one
// sentence. [Rules.StartAt] evaluates the rules in order; the first that is true decides. A rule that cannot be evaluated, because
// a key is missing or it costs too much, is an error: it never counts as false.
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
// Findings are the conditions of the Node and of the Machine that match what their MachineHealthCheck calls unhealthy. Others are
// left out: detectors leave their last message after a fault has passed, and Ready=True is on every Node, so a rule would match
// what is no longer true. A matching condition is a finding before its timeout is over: once a machine is sick, everything known
// about it counts. If the verdict is about no condition (there is no Node, or the Machine has failed), the verdict itself is a
// finding: source Machine, type HealthCheckSucceeded, status False, with the reason and the message of the verdict.
//
// # The language
//
// CEL with its standard functions and macros, and optional values (labels[?'x'].orValue('none')). Compile checks names and types.
// It excludes what could keep a controller busy for ever despite [CostLimit]: lists of lists, adding lists, dyn, building messages,
// many macros and deep nesting.
package rules
