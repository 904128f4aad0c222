package gardener

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Texts select the words of conditions.
type Texts int

const (
	// TextsOfToday are those of Gardener since 1.21: "All health checks successful".
	TextsOfToday Texts = iota
	// TextsOfTheSeed are those of earlier versions: "(2/2) Health checks successful".
	TextsOfTheSeed
)

// summarize returns the message of a condition. Kind is that of the extension object.
func (t Texts) summarize(f findings, status healthcheck.Status, kind string) string {
	switch {
	case f.hibernated:
		return messageHibernated
	case t == TextsOfTheSeed:
		return f.counted(status, kind)
	default:
		return f.plain(status)
	}
}

// plain returns the message in the words of today.
func (f findings) plain(status healthcheck.Status) string {
	var blocks []string
	for _, block := range []struct {
		intro   string
		results []healthcheck.NamedResult
	}{{"Unable to execute", f.failed}, {"Failed", f.unsuccessful}, {"Progressing", f.progressing}} {
		switch {
		case len(block.results) == 0:
		case f.kinds() == 1:
			blocks = append(blocks, enumerate(block.results))
		default:
			blocks = append(blocks, fmt.Sprintf("%s %s: %s", block.intro, checks(len(block.results)), enumerate(block.results)))
		}
	}
	details := strings.Join(blocks, " ")
	switch {
	case status == healthcheck.Unknown:
		return fmt.Sprintf("failed to execute %d health %s: %s", len(f.failed), checks(len(f.failed)), details)
	case details == "":
		return "All health checks successful"
	default:
		return details
	}
}

// kinds returns how many kinds of problems there are.
func (f findings) kinds() int {
	kinds := 0
	for _, results := range [][]healthcheck.NamedResult{f.failed, f.unsuccessful, f.progressing} {
		kinds += min(len(results), 1)
	}
	return kinds
}

// enumerate returns the messages as one text: "It is." or "1) It is. 2) That is."
func enumerate(results []healthcheck.NamedResult) string {
	if len(results) == 1 {
		return sentence(results[0].Message)
	}
	items := make([]string, len(results))
	for i, r := range results {
		items[i] = fmt.Sprintf("%d) %s", i+1, sentence(r.Message))
	}
	return strings.Join(items, " ")
}

func sentence(text string) string { return strings.TrimSuffix(text, ".") + "." }

func checks(count int) string {
	if count == 1 {
		return "check"
	}
	return "checks"
}

// counted returns the message in the words of the seed. It counts all checks, which
// Gardener's library did not do if there were several kinds of problems.
func (f findings) counted(status healthcheck.Status, kind string) string {
	total := f.successful + len(f.failed) + len(f.unsuccessful) + len(f.progressing)
	var details []string
	for _, block := range []struct {
		intro   string
		results []healthcheck.NamedResult
	}{{"Unsuccessful", f.unsuccessful}, {"Progressing", f.progressing}, {"Failed", f.failed}} {
		if len(block.results) == 0 {
			continue
		}
		details = append(details, block.intro+" checks:")
		for i, r := range block.results {
			details = append(details, fmt.Sprintf("%d) %s", i+1, reasoned(r)))
		}
	}
	detail := strings.Join(details, " ")
	switch {
	case status == healthcheck.Unknown:
		return fmt.Sprintf("failed to execute %d/%d health checks for '%s': %s", len(f.failed), total, kind, detail)
	case detail == "":
		return fmt.Sprintf("(%d/%d) Health checks successful", f.successful, total)
	default:
		return fmt.Sprintf("Health check summary: %d/%d unsuccessful, %d/%d progressing, %d/%d successful. %s",
			len(f.unsuccessful), total, len(f.progressing), total, f.successful, total, detail)
	}
}

// reasoned puts the reason first, as at that time. The library's default reasons say
// nothing new, so they are left out.
func reasoned(r healthcheck.NamedResult) string {
	text := sentence(cmp.Or(r.Message, r.Reason))
	switch r.Reason {
	case ReasonUnsuccessful, ReasonProgressing, ReasonCheckError:
		return text
	default:
		return r.Reason + ": " + text
	}
}
