package explain

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What tests outside of the package compare with what it says.
var (
	Allowed  = func(c *Check, now time.Time) metav1.Condition { return c.allowed(now) }
	Message  = (*Record).message
	Answers  = (*Record).answers
	Sentence = sentence
)
