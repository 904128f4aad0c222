// Package rebootannotation has the annotations on a Machine that concern power cycles, and tells a request from a sign. It is pure. People
// write Request, package remedy writes its sign, and the controller intake answers it, and writes Outcome.
package rebootannotation

import "regexp"

const (
	// Request on a Machine asks for a power cycle of its host, whatever its value. The controller that carries it out removes it at the end.
	// Only an operationID asks for nothing: it shows that a record has the host cycled.
	Request = "reboot.metal3.io"
	// PowerOff on a Machine asks for its host to be switched off, and kept off.
	PowerOff = Request + "/PowerOff"
	// AllowQuorumLoss permits a power cycle although too little of its control plane would be up.
	AllowQuorumLoss = "sickbay.dev/allow-quorum-loss"
	// Outcome on an OpenShift Machine says why power-cycling its host did not heal it. The controller intake writes it,
	// and removes it with the annotation by which OpenShift's health check asked.
	Outcome = "sickbay.dev/external-remediation-outcome"
)

// Asking are the annotations on a Machine of which records are made.
var Asking = []string{Request, PowerOff}

// sign is the form of an operationID: the UID of a record, a slash, and the number of an attempt.
var sign = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9]+$`)

// IsSign reports whether the value of Request only shows that a record has the host cycled. It asks for nothing, even if somebody else wrote it.
func IsSign(value string) bool { return sign.MatchString(value) }
