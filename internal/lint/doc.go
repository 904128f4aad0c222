// Package lint finds what is wrong with health checks and plans before they are applied: what an API server or a controller
// would refuse, and what is legal and dangerous.
//
// [Check] is a function of what was read. What an API server refuses is found by the schemas of the real definitions, and what
// Sickbay refuses by the functions of its controllers, which say the same sentences. Health checks of other dialects are
// converted first, so that all are judged alike; what is found is told by the field and the line in which it stands.
package lint

//go:generate go test -run ^TestSchemas$ . -update
