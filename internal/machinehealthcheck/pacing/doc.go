// Package pacing slows repairs down where they turn out in vain, and speeds them up where they help.
//
// Machines that share the consequences of a repair are in one domain: those of one owner, those of one failure domain. Each
// domain has two brakes, and both follow from its repairs alone:
//
//   - A concurrency limit of repairs that are not proven yet. It is 1 at first, and after 10 idle minutes. A round is as many
//     repairs as the limit, in the order in which they end. A round that is proven as a whole doubles the limit. The first
//     failure in a round ends it and sets the limit back to 1; what had begun before that failure belongs to the same round and
//     counts for nothing more. So many failures at once are one, and success of before excuses no new wave. It is never 0:
//     somebody always tries, or nobody would notice that the cause is gone.
//   - A cooldown: after a look in which repairs began, or after a failure, the domain rests. That is 1 minute, twice as much for each
//     round with a failure, and 10 minutes at most. Up to a quarter is added, by the UID of the record, so that domains do not
//     move in step. A round that is proven sets it back.
//
// A machine needs room in all of its domains, and one of them has to have cooled down. Domains are served the least recently
// served first. So a flood in one domain is tried one at a time, ever more slowly, and a lone fault elsewhere does not wait for
// it; where both share a domain, the lone fault is next.
//
// A repair has failed if its record ended Unproven or ReplacementFailed, or is Held after a repair was tried. It is proven if
// the record ended Recovered or Replaced. The rest is neither: nothing was learned from a machine that recovered unaided, was
// deleted or handed back, or from a remediation that was cancelled, and nothing from the built-in plans, which ask for no
// proof.
//
// Nothing is stored but two annotations that say where the machine of a record was, since it may be gone: see [Annotations].
package pacing
