// Package healthchecktest is the test kit for authors of health checks. It needs no API
// server, and its time passes only when a test says so.
//
// A [Kit] runs a registration as the engine does, with objects and conditions in memory,
// and its own clock:
//
//	kit := healthchecktest.New(t, registration, database, statefulSet)
//	kit.Run()
//	kit.Advance(10 * time.Minute)
//	condition := kit.Condition(database, "Upgraded")
//
// [Kit.Sound] tries each check of the registration on each object. It makes these
// assertions, which can also be used one by one:
//
//   - [Stable]: the same object gives the same words, however often the check runs, and
//     also a second later.
//   - [Harmless]: the check changes neither the object nor the parent.
//   - [Storable]: an API server stores the reason and the message as they are.
//   - [EndsInFalse]: a Progressing check becomes False some day if nothing happens.
//   - [SurvivesEmpty]: the check does not panic on an empty object.
package healthchecktest
