package cel

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// defaultWithin is how long an object may be in progress if its rule does not say.
// It is what a Deployment has by default.
const defaultWithin = 10 * time.Minute

// costLimit is how much one expression may cost in one run, in units of CEL: to read
// a field, to call a function, or to look at ten characters costs about one. It is
// enough for a macro within a macro over lists of a hundred items. Kubernetes allows
// ten times as much; but to count the cost of one long list takes the CEL library the
// square of its length, so that a higher limit would hardly be one.
const costLimit = 100_000

// Rule says by expressions how an object is. Current, InProgress and Failed are those
// of Flux. A Rule can be read from YAML or JSON.
type Rule struct {
	// Current is a bool: the object is healthy. It is required.
	Current string `json:"current"`
	// InProgress is a bool: the object is not healthy yet. It is asked first.
	InProgress string `json:"inProgress,omitempty"`
	// Failed is a bool: the object is not healthy, and need not be waited for. It is
	// asked second.
	Failed string `json:"failed,omitempty"`
	// Message is a string: the message of the result. It is asked for each verdict of
	// the three above. If it is empty, a general one is given.
	Message string `json:"message,omitempty"`
	// Codes is a list of strings: the codes of a problem. It is asked for each object
	// that is in progress or has failed. They are sorted.
	Codes string `json:"codes,omitempty"`
	// Within is how long each generation of the object may be in progress; past it,
	// the object has failed. The default is 10 minutes.
	Within metav1.Duration `json:"within,omitzero"`
	// Fields are the top-level fields of the object that the expressions use, beside
	// apiVersion, kind, metadata, spec, status, and data.
	Fields []string `json:"fields,omitempty"`
}

// Reasons of the results, beside checks.ReasonNotObserved.
const (
	// ReasonCurrent is given with True: Rule.Current holds.
	ReasonCurrent = "Current"
	// ReasonFailed is given with False: Rule.Failed holds.
	ReasonFailed = "Failed"
	// ReasonInProgress is given with Progressing: Rule.InProgress holds, or none of the
	// expressions does.
	ReasonInProgress = "InProgress"
)
