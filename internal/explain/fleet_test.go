package explain_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// TestEachMachineIsInItsSection: each machine is in the section in which people look for it.
func TestEachMachineIsInItsSection(t *testing.T) {
	s := explaintest.New().Annotated(mhcspec.MaxInFlightAnnotation, "2")
	s.Healthy("h1")
	s.Repairing("held", 3*time.Hour, explaintest.Metal()[:2])
	s.Repairing("approve", time.Hour, explaintest.Metal())
	s.Repairing("works", 41*time.Minute, explaintest.Metal())
	s.Sick("first", 5*time.Minute)
	s.Sick("second", 4*time.Minute)
	got := s.Facts().Fleet()
	names := func(items []explain.Item) (all []string) {
		for _, item := range items {
			all = append(all, item.Name+": "+item.Text)
		}
		return all
	}
	type lists struct{ Summary, NeedsYou, Waiting, InRepair, Next any }
	var next []string
	for _, one := range got.Next {
		next = append(next, fmt.Sprintf("%s %s %s", one.At.Sub(s.Now), one.Name, one.What))
	}
	want := lists{
		"1 cluster, 6 machines: 1 healthy, 3 sick, 1 held, 1 in repair",
		[]string{
			"held: held: No step is left; the last attempt: The machine is not healthy after 20m0s; a person decides",
			"approve: approve or deny replace: Node condition Ready is Unknown for more than 5m0s",
		},
		[]string{"first: about to be repaired", "second: waiting for a slot"},
		[]string{"works: SICK for 41m, reboot 2 of 2 is running"},
		[]string{"0s first goes into repair: replace", "4m0s works reboot 2 of 2 times out; the request is withdrawn"},
	}
	if diff := cmp.Diff(want, lists{got.Summary(), names(got.NeedsYou), names(got.Waiting), names(got.InRepair), next}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestHoldsOfHealthyMachines: a hold is shown before the machine falls sick. One that is over is not.
func TestHoldsOfHealthyMachines(t *testing.T) {
	s := explaintest.New()
	until := func(at time.Time) build.MachineOption {
		return build.Annotation(mhcspec.HoldUntilAnnotation, at.Format(time.RFC3339))
	}
	s.Healthy("m1", until(s.Now.Add(time.Hour)), build.Annotation(mhcspec.HoldReasonAnnotation, "its disk is being replaced"))
	s.Healthy("m2", until(s.Now.Add(-time.Hour)))
	s.Healthy("m3", build.Annotation(mhcspec.HoldUntilAnnotation, "tomorrow"))
	s.Healthy("m4")
	var got []string
	for _, item := range s.Facts().Fleet().Paused {
		got = append(got, item.Name+": "+item.Text)
	}
	want := []string{
		"m1: until 13:00:00 UTC: Machine m1 is on hold until 2026-01-01T13:00:00Z: its disk is being replaced",
		`m3: annotation sickbay.dev/hold-until of Machine m3 is "tomorrow": it must be a time like 2006-01-02T15:04:05Z`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestSameWords: a page, the table of health checks and the condition on the MachineHealthCheck say the same.
func TestSameWords(t *testing.T) {
	for _, one := range scenes {
		s := explaintest.New()
		one.build(s)
		f := s.Facts()
		check := f.Checks[0]
		if check.Foreign || check.Nothing != "" {
			continue // Sickbay sets no condition on it, or the table says more.
		}
		if condition := check.Allowed(f.Now); condition.Message != "" && f.Fleet().Checks[0].Gate != condition.Message {
			t.Errorf("%s: the table says %q, and the condition %q", one.name, f.Fleet().Checks[0].Gate, condition.Message)
		}
		for _, r := range f.Records {
			p := f.RecordPage(r)
			if i := rowOf(p, "Now"); i >= 0 && r.Record.Status.CompletionTime == nil && p.Rows[i].Text != humanize.Upper(explain.Message(r)) {
				t.Errorf("%s: the page says %q, and the record %q", one.name, p.Rows[i].Text, explain.Message(r))
			}
		}
	}
}

func rowOf(p explain.Page, label string) int {
	for i, row := range p.Rows {
		if row.Label == label {
			return i
		}
	}
	return -1
}

// BenchmarkFleet explains 10,000 machines on one page; reading them is not included.
func BenchmarkFleet(b *testing.B) {
	for name, sick := range map[string]int{"healthy": 0, "one in a hundred sick": 100, "all sick": 1} {
		b.Run(name, func(b *testing.B) {
			s := explaintest.New().AtMost("40%")
			for i := range 10000 {
				if sick > 0 && i%sick == 0 {
					s.Sick(fmt.Sprintf("m%05d", i), time.Minute)
					continue
				}
				s.Healthy(fmt.Sprintf("m%05d", i))
			}
			f := s.Facts()
			b.ReportAllocs()
			for b.Loop() {
				f.Fleet()
			}
		})
	}
}

// TestUnderRepairAtAClosedGate: a repair continues when the gate closes, so its machine does not count as held back.
func TestUnderRepairAtAClosedGate(t *testing.T) {
	s := explaintest.New().AtMost("0")
	s.Repairing("m1", 10*time.Minute, explaintest.Metal())
	s.Healthy("m2")
	fleet := s.Facts().Fleet()
	if got := fleet.Headline(); got != "Nothing needs you now" {
		t.Errorf("the headline is %q", got)
	}
	if got := s.Facts().Of("mhc", "workers")[0].Headline; got != "CLOSED, no repairs begin; 2 machines: 1 healthy, 1 sick, 0 undecided" {
		t.Errorf("of the health check it is %q", got)
	}
	s.Sick("m3", 6*time.Minute)
	fleet = s.Facts().Fleet()
	if got := fleet.Headline(); got != "1 sick machine held back" {
		t.Errorf("with another machine the headline is %q", got)
	}
}
