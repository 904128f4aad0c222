// Package pacing slows repairs down where they do not help, and speeds them up where they do.
//
// Machines that share the consequences of a repair are in one domain: those of one owner, or those of one failure domain. Each
// domain has two brakes, which depend only on its repairs:
//
//   - A concurrency limit on unproven repairs. It is 1 at first, and after 10 idle minutes. A round is as many repairs as the limit,
//     in the order in which they end. A round that is proven as a whole doubles the limit. The first failure in a round ends it and
//     resets the limit to 1; what began before that failure belongs to the same round and no longer counts. So many failures at
//     once count as one, and earlier success allows no new wave. The limit is never 0: somebody always tries, or nobody would
//     notice that the cause is gone.
//   - A cooldown: after a look in which repairs began, or after a failure, the domain rests for 1 minute, doubled with each failed
//     round up to 10 minutes. Up to a quarter is added, by the UID of the record, so that domains do not move in step. A proven
//     round resets it.
//
// A machine needs room in all of its domains, and one of them must have cooled down. The least recently served domain comes first.
// So a flood in one domain is tried one at a time, ever more slowly, and a lone fault elsewhere does not wait for it; if both share
// a domain, the lone fault is next.
//
// A repair failed if its record ended Unproven or ReplacementFailed, if a person must decide or approve after a repair was tried, or if
// the deletion of its machine is overdue. It is proven if the record ended Recovered or Replaced. Others are neither: a machine that recovered unaided, was deleted or handed back, or a
// cancelled remediation teaches nothing, and built-in plans have no proof.
//
// Only two annotations are stored, with the location of a record's machine, which may be gone later: see [Annotations].
package pacing
