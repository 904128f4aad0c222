package healthcheck

import (
	"fmt"
	"strings"
)

// NamedResult is the result of one check, with the name of the check.
type NamedResult struct {
	// Name is that of the NamedCheck.
	Name string
	Result
}

// Summary makes the message of a condition. It gets the results of all checks, in
// the order of their registration, as they read at the moment of the run, and what
// Merge made of them. It must depend on nothing else, and say the same for the
// same: a message that changes is written.
type Summary func(results []NamedResult, merged Result) string

// Plain is the default Summary: the messages of all checks with the worst status,
// joined, as Merge has it. For a healthy object it is usually empty.
func Plain(_ []NamedResult, merged Result) string { return merged.Message }

// Counted is the Summary of Gardener's health check library in its first years:
// "(2/2) Health checks successful", or how many checks are not, with their messages.
// Skipped checks are not counted.
func Counted(results []NamedResult, merged Result) string {
	counted := tally{}
	for _, r := range results {
		counted.add(r)
	}
	if merged.Status == True {
		return fmt.Sprintf("(%d/%d) Health checks successful", counted.successful, counted.total)
	}
	return fmt.Sprintf("Health check summary: %d/%d unsuccessful, %d/%d progressing, %d/%d successful. %s",
		counted.unsuccessful, counted.total, counted.progressing, counted.total, counted.successful, counted.total,
		strings.Join(counted.details, " "))
}

// tally counts results.
type tally struct {
	total, successful, unsuccessful, progressing int
	details                                      []string
}

func (t *tally) add(r NamedResult) {
	if r.Status == Skipped {
		return
	}
	t.total++
	switch r.Status {
	case True:
		t.successful++
		return
	case Progressing:
		t.progressing++
	default:
		t.unsuccessful++
	}
	t.details = append(t.details, fmt.Sprintf("%d) %s: %s.", len(t.details)+1, r.Reason, strings.TrimSuffix(r.Message, ".")))
}
