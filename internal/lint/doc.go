// Package lint finds what is wrong with health checks and plans before they are applied: what an API server or a controller
// would reject, and what is valid but dangerous.
//
// [Check] is a function of its input. It finds what an API server rejects by the schemas of the real definitions, and what
// Sickbay rejects by the functions of its controllers, with the same messages. It converts health checks of other dialects
// first, so it checks all of them alike. A finding names the field and its line.
package lint

//go:generate go test -run ^TestSchemas$ . -update
