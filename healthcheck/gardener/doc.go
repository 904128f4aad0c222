// Package gardener lets extensions of Gardener run their existing health checks on the
// engine of package healthcheck.
//
// # Checks run as they are
//
// A [HealthCheck] for any generation of Gardener's library works: with the five methods of the
// first one, with InjectSeedClient and InjectShootClient as options, and with
// InjectSourceClient and InjectTargetClient. Only the import path changes; those written for
// 1.133 and later also need the method DeepCopy, which Gardener removed. [Of] adapts checks that
// are compiled against Gardener's own module.
//
// Such a check stores the clients that it gets. So the original never runs: each run has its
// own copy, and a check that runs for one cluster cannot get the client of another.
//
// # Registration
//
// [DefaultRegisterExtensionForHealthCheck] and [DefaultRegistration] have the names and
// arguments of Gardener's first and current versions. Conditions are those of Gardener
// ([Store]), made by the rules of its library, in the words of its time ([Texts]):
//
//   - A check that could not be carried out makes the condition Unknown, even if another one
//     failed. After that, False wins over Progressing, and Progressing over True.
//   - Progressing becomes False by the clock of the condition: how long it has had its
//     status. The smallest threshold of the progressing checks counts. A condition that is
//     False stays so until it was True or Unknown.
//   - A pre-check that returns false counts as a pass.
//   - Nothing is checked while the object is being deleted or migrated; the conditions of a
//     hibernated shoot are True.
//
// With [Rules] set to [BestRules], the rules of package healthcheck apply instead: a known
// failure is never hidden, each cause of a progress has its own clock, and a check that does
// not apply is not a pass.
//
// These differ from Gardener's library with both rules: the order of texts is that of the
// registration; a check that answers Unknown, or nothing, is not a pass; one that panics or
// hangs does not affect others; only changes are written; a deleted object is not checked
// again.
package gardener
