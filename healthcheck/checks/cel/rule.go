package cel

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// defaultWithin is the default of Rule.Within. A Deployment's default deadline is the same.
const defaultWithin = 10 * time.Minute

// costLimit is how much one evaluation of an expression may cost, in units of CEL: reading
// a field, calling a function, or looking at ten characters costs about one. That is enough
// for a macro within a macro over lists of a hundred items. Kubernetes allows ten times as
// much; but for one long list, the CEL library needs the square of its length to count the
// cost, so a higher limit would hardly limit anything.
const costLimit = 100_000

// Rule judges an object by expressions. Current, InProgress and Failed are those of Flux. A
// Rule can be read from YAML or JSON.
type Rule struct {
	// Current is a bool: the object is healthy. It is required.
	Current string `json:"current"`
	// InProgress is a bool: the object is not healthy yet. It is evaluated first.
	InProgress string `json:"inProgress,omitempty"`
	// Failed is a bool: the object is not healthy, and waiting will not help. It is
	// evaluated second.
	Failed string `json:"failed,omitempty"`
	// Message is a string: the message of the result, for each of the three verdicts above.
	// The default is a general message.
	Message string `json:"message,omitempty"`
	// Codes is a list of strings: the codes of an object that is in progress or has failed.
	// They are sorted.
	Codes string `json:"codes,omitempty"`
	// Within is how long each generation of the object may be in progress; after that, the
	// object has failed. The default is 10 minutes.
	Within metav1.Duration `json:"within,omitzero"`
	// Fields are the other top-level fields of the object that the expressions use, besides
	// apiVersion, kind, metadata, spec, status, and data.
	Fields []string `json:"fields,omitempty"`
}

// Reasons of the results, besides checks.ReasonNotObserved.
const (
	// ReasonCurrent comes with True: Rule.Current holds.
	ReasonCurrent = "Current"
	// ReasonFailed comes with False: Rule.Failed holds.
	ReasonFailed = "Failed"
	// ReasonInProgress comes with Progressing: Rule.InProgress holds, or none of the
	// expressions does.
	ReasonInProgress = "InProgress"
)
