// Package policies writes the ValidatingAdmissionPolicies in config/admission. They make the API server reject invalid objects of
// other projects' kinds, or warn about them, when they are written and not only when a controller reads them.
//
// Their messages come from [lint.Check], which asks the controllers, so the API server rejects an object with lint's message.
// Their conditions are CEL, and never stricter than lint: tests compare the two on a real API server.
package policies

//go:generate go test -run ^TestFiles$ . -update
