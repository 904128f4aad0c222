// Package policies writes the ValidatingAdmissionPolicies in config/admission: what the API server is to refuse, or to warn of, on
// kinds of others, when it is written and not only when a controller reads it.
//
// What they say is asked of [lint.Check], which asks the controllers: an object that is refused is refused with the sentence that
// lint has for it. What they look for is CEL, and is never stricter than lint: tests compare the two on a real API server.
package policies

//go:generate go test -run ^TestFiles$ . -update
