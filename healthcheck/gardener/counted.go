package gardener

import (
	"fmt"
	"strings"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Counted is the healthcheck.Summary of Gardener's library in its first years:
// "(2/2) Health checks successful", or how many checks are not, with their messages.
// Skipped checks are not counted.
func Counted(results []healthcheck.NamedResult, merged healthcheck.Result) string {
	counted := tally{}
	for _, r := range results {
		counted.add(r)
	}
	if merged.Status == healthcheck.True {
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

func (t *tally) add(r healthcheck.NamedResult) {
	if r.Status == healthcheck.Skipped {
		return
	}
	t.total++
	switch r.Status {
	case healthcheck.True:
		t.successful++
		return
	case healthcheck.Progressing:
		t.progressing++
	default:
		t.unsuccessful++
	}
	t.details = append(t.details, fmt.Sprintf("%d) %s: %s.", len(t.details)+1, r.Reason, strings.TrimSuffix(r.Message, ".")))
}
