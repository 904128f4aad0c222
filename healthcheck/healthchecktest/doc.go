// Package healthchecktest is the test kit for authors of health checks. It needs no API
// server, and no time passes that is not asked for.
//
// A [Kit] runs a registration as the engine does, on objects in memory, with conditions in
// memory, by a clock of its own:
//
//	kit := healthchecktest.New(t, registration, database, statefulSet)
//	kit.Run()
//	kit.Advance(10 * time.Minute)
//	condition := kit.Condition(database, "Upgraded")
//
// [Kit.Sound] tries each check of the registration on each object. So do, for one check,
// the assertions that it consists of:
//
//   - [Stable]: the same object gives the same words, however often and a second later.
//   - [Harmless]: neither the object nor the parent is changed.
//   - [EndsInFalse]: what progresses is False some day, if nothing happens.
//   - [SurvivesEmpty]: an object with nothing in it is no reason to panic.
package healthchecktest
