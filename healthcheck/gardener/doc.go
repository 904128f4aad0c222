// Package gardener has extensions of Gardener use the engine of package healthcheck with
// the health checks that they have.
//
// # Checks run unchanged
//
// A [HealthCheck] of any generation of Gardener's library is taken as it is: with the
// five methods of the first one, with InjectSeedClient and InjectShootClient as
// options, and with InjectSourceClient and InjectTargetClient. Only the import path
// changes. Checks that are compiled against Gardener's own module are taken by [Of].
//
// Such a check gets its clients by being changed. So it is never run itself: each run
// has a copy of its own, and a check that is at work for one cluster cannot be given
// the client of another.
//
// # Registration
//
// [DefaultRegisterExtensionForHealthCheck] and [DefaultRegistration] have the names and
// the arguments of the first years and of today. Conditions are those of Gardener
// ([Store]), made by the rules of its library, in the words of the time ([Texts]):
//
//   - A check that could not be carried out makes the condition Unknown, even if
//     another one failed. Then False wins over Progressing, and that over True.
//   - What is Progressing becomes False by the clock of the condition: how long that has
//     had its status. The smallest threshold of the checks that progress counts. A condition
//     that is False stays so until it was True or Unknown.
//   - A pre-check that says no counts as a pass.
//   - Nothing is checked while the object is deleted or migrated; the conditions of a
//     hibernated shoot are True.
//
// With [Rules] set to [BestRules] the rules of package healthcheck hold instead: a known
// failure is never hidden, each cause of a progress has a clock of its own, and a check
// that does not apply is no pass.
//
// What differs in both cases: the order of texts is that of the registration; a check
// that answers Unknown, or nothing, is no pass; one that panics or hangs harms nobody
// else; nothing is written that has not changed; a deleted object is not looked at
// again.
package gardener
