package report_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/report"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	isTrue      = healthcheck.True
	isFalse     = healthcheck.False
	unknown     = healthcheck.Unknown
	progressing = healthcheck.Progressing
	skipped     = healthcheck.Skipped
)

func condition(conditionType string, status healthcheck.Status, codes ...string) healthcheck.Condition {
	return healthcheck.Condition{Type: conditionType, Status: status, Reason: "R" + string(status), Message: conditionType + " is " + string(status), Codes: codes}
}

func subject(name string, conditions ...healthcheck.Condition) report.Subject {
	return report.Subject{Name: name, Conditions: conditions}
}

// with returns a changed copy of a subject.
func with(s report.Subject, change func(*report.Subject)) report.Subject {
	change(&s)
	return s
}

// lines returns a short form of an overview: the overall status first, and then one line for
// each finding.
func lines(o report.Overview) []string {
	all := []string{fmt.Sprintf("%s %s %v %q", o.Status, o.Reason, o.Codes, o.Message)}
	for _, s := range o.Subjects {
		for _, f := range s.Findings {
			all = append(all, strings.Join([]string{s.Name, string(s.Status), f.Type, string(f.Status), f.Reason, f.Message}, "|"))
		}
	}
	return all
}

// TestSummarize covers the possible states of a subject.
func TestSummarize(t *testing.T) {
	confirmed := func(age time.Duration) func(*report.Subject) {
		return func(s *report.Subject) { s.StaleAfter, s.ConfirmedAt = time.Minute, now.Add(-age) }
	}
	negative := func(s *report.Subject) { s.Negative = []string{"Degraded", "Stalled"} }
	tests := map[string]struct {
		subjects []report.Subject
		want     []string
	}{
		"negative and healthy": {
			[]report.Subject{with(subject("s", condition("Degraded", isFalse), condition("Ready", isTrue)), negative)},
			[]string{`True Healthy [] ""`, "s|True|Degraded|False|RFalse|Degraded is False", "s|True|Ready|True|RTrue|Ready is True"},
		},
		"negative and not healthy": {
			[]report.Subject{with(subject("s", condition("Ready", isTrue), condition("Stalled", unknown), condition("Degraded", isTrue, "x")), negative)},
			[]string{`False RTrue [x] "s Degraded: Degraded is True"`, "s|False|Degraded|True|RTrue|Degraded is True", "s|False|Stalled|Unknown|RUnknown|Stalled is Unknown", "s|False|Ready|True|RTrue|Ready is True"},
		},
		"no subjects": {nil, []string{`Unknown NoSubjects [] "there is nothing to report on"`}},
		"healthy": {[]report.Subject{subject("b", condition("Ready", isTrue)), subject("a", condition("Z", isTrue), condition("Ready", isTrue))}, []string{
			`True Healthy [] ""`, "a|True|Ready|True|RTrue|Ready is True", "a|True|Z|True|RTrue|Z is True", "b|True|Ready|True|RTrue|Ready is True"}},
		"worst first": {[]report.Subject{
			subject("a", condition("Ready", isTrue), condition("Synced", progressing, "p")), subject("b", condition("Ready", unknown, "u")),
			subject("c", condition("Ready", isTrue, "t"), condition("Synced", isFalse, "z", "f", "z"))}, []string{
			`False RFalse [f p z] "c Synced: Synced is False"`,
			"c|False|Synced|False|RFalse|Synced is False", "c|False|Ready|True|RTrue|Ready is True", "b|Unknown|Ready|Unknown|RUnknown|Ready is Unknown",
			"a|Progressing|Synced|Progressing|RProgressing|Synced is Progressing", "a|Progressing|Ready|True|RTrue|Ready is True"}},
		"unreadable hides no False": {[]report.Subject{{Name: "a", Err: errors.New("no route")}, subject("b", condition("Ready", isFalse))}, []string{
			`False RFalse [] "b Ready: Ready is False"`, "b|False|Ready|False|RFalse|Ready is False", "a|Unknown||Unknown|Unreadable|no route"}},
		"unreadable with conditions": {[]report.Subject{with(subject("a", condition("Ready", isTrue)), func(s *report.Subject) { s.Err = errors.New("no route") })}, []string{
			`Unknown Unreadable [] "a: no route"`, "a|Unknown||Unknown|Unreadable|no route"}},
		"no conditions": {[]report.Subject{subject("a"), subject("b", condition("Ready", isTrue))}, []string{
			`Unknown NoConditions [] "a: there are no conditions"`, "a|Unknown||Unknown|NoConditions|there are no conditions", "b|True|Ready|True|RTrue|Ready is True"}},
		"only skipped": {[]report.Subject{subject("a", condition("Ready", skipped))}, []string{
			`Unknown NoConditions [] "a: there are no conditions"`, "a|Unknown||Unknown|NoConditions|there are no conditions", "a|Unknown|Ready|Skipped|RSkipped|Ready is Skipped"}},
		"wanted": {[]report.Subject{with(subject("a", condition("Ready", isTrue), condition("Other", isFalse)), func(s *report.Subject) { s.Wants = []string{"Ready", "Synced"} })}, []string{
			`Unknown ConditionMissing [] "a Synced: there is no such condition"`, "a|Unknown|Synced|Unknown|ConditionMissing|there is no such condition", "a|Unknown|Ready|True|RTrue|Ready is True"}},
		"not yet stale": {[]report.Subject{with(subject("a", condition("Ready", isTrue)), confirmed(time.Minute-1))}, []string{
			`True Healthy [] ""`, "a|True|Ready|True|RTrue|Ready is True"}},
		"stale": {[]report.Subject{with(subject("a", condition("Ready", isTrue), condition("Synced", isFalse, "f")), confirmed(time.Minute))}, []string{
			`Unknown Stale [] "a Ready: not confirmed for 1m0s; it was True: RTrue: Ready is True; a Synced: not confirmed for 1m0s; it was False: RFalse: Synced is False"`,
			"a|Unknown|Ready|Unknown|Stale|not confirmed for 1m0s; it was True: RTrue: Ready is True", "a|Unknown|Synced|Unknown|Stale|not confirmed for 1m0s; it was False: RFalse: Synced is False"}},
		"never confirmed": {[]report.Subject{with(subject("a", condition("Ready", isTrue)), func(s *report.Subject) { s.StaleAfter = 1 << 62 })}, []string{
			`Unknown Stale [] "a Ready: never confirmed; it was True: RTrue: Ready is True"`, "a|Unknown|Ready|Unknown|Stale|never confirmed; it was True: RTrue: Ready is True"}},
		"confirmed by a clock ahead of ours": {[]report.Subject{with(subject("a", condition("Ready", isTrue)), confirmed(-time.Hour))}, []string{
			`True Healthy [] ""`, "a|True|Ready|True|RTrue|Ready is True"}},
		"outdated": {[]report.Subject{with(subject("a", healthcheck.Condition{Type: "Ready", Status: isTrue, ObservedGeneration: 1}), func(s *report.Subject) { s.Generation = 2 })}, []string{
			`Unknown Outdated [] "a Ready: about an older generation; it was True"`, "a|Unknown|Ready|Unknown|Outdated|about an older generation; it was True"}},
		"generation unknown": {[]report.Subject{with(subject("a", condition("Ready", isTrue)), func(s *report.Subject) { s.Generation = 2 })}, []string{
			`True Healthy [] ""`, "a|True|Ready|True|RTrue|Ready is True"}},
		"odd status": {[]report.Subject{subject("a", condition("Ready", "Great"))}, []string{
			`Unknown InvalidStatus [] "a Ready: the condition has the unknown status \"Great\""`, `a|Unknown|Ready|Unknown|InvalidStatus|the condition has the unknown status "Great"`}},
		"no message": {[]report.Subject{subject("a", healthcheck.Condition{Type: "Ready", Status: isFalse, Reason: "Broken"})}, []string{
			`False Broken [] "a Ready: Broken"`, "a|False|Ready|False|Broken|"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := report.Summarize(now, tt.subjects...)
			if diff := cmp.Diff(tt.want, lines(o)); diff != "" {
				t.Errorf("overview (-want +got):\n%s", diff)
			}
			if o.Healthy() != (o.Status == isTrue) {
				t.Errorf("healthy is %v, status is %s", o.Healthy(), o.Status)
			}
		})
	}
}

// TestMessageIsBounded: it is, for any number of problems.
func TestMessageIsBounded(t *testing.T) {
	var subjects []report.Subject
	for i := range 100 {
		subjects = append(subjects, subject(fmt.Sprintf("s%02d", i), condition("Ready", isFalse)))
	}
	o := report.Summarize(now, subjects...)
	if strings.Count(o.Message, "; ") != 10 || !strings.HasSuffix(o.Message, "; s09 Ready: Ready is False; and 90 more") {
		t.Errorf("the message is %q", o.Message)
	}
}

// TestRecheckAt: it is when the next subject becomes stale.
func TestRecheckAt(t *testing.T) {
	at := func(confirmed, after time.Duration) report.Subject {
		return report.Subject{Conditions: []healthcheck.Condition{condition("Ready", isTrue)}, ConfirmedAt: now.Add(confirmed), StaleAfter: after}
	}
	unreadable := with(at(-10, 11), func(s *report.Subject) { s.Err = errors.New("x") })
	tests := map[string]struct {
		subjects []report.Subject
		want     time.Time
	}{
		"never":      {[]report.Subject{subject("a", condition("Ready", isTrue))}, time.Time{}},
		"one":        {[]report.Subject{at(-10, 30)}, now.Add(20)},
		"the first":  {[]report.Subject{at(-10, 30), at(0, 5), at(-1, 50)}, now.Add(5)},
		"it is past": {[]report.Subject{at(-30, 30), at(0, 5)}, now.Add(5)},
		"unreadable": {[]report.Subject{unreadable}, time.Time{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := report.Summarize(now, tt.subjects...)
			if !got.RecheckAt.Equal(tt.want) {
				t.Errorf("got %s, want %s", got.RecheckAt, tt.want)
			}
			if tt.want.IsZero() {
				return
			}
			if before, then := report.Summarize(tt.want.Add(-1), tt.subjects...), report.Summarize(tt.want, tt.subjects...); cmp.Equal(lines(before), lines(then)) || !cmp.Equal(lines(before), lines(got)) {
				t.Errorf("it changes at another moment:\n%v\n%v\n%v", lines(got), lines(before), lines(then))
			}
		})
	}
}
