package explain

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Exported for tests in other packages, which compare with these words.
var (
	Allowed = func(c *Check, now time.Time) metav1.Condition { return c.allowed(now) }
	Message = (*Record).message
	Answers = (*Record).answers
)
