package soak

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var (
	cluster1 = client.ObjectKey{Namespace: "ns", Name: "cluster1"}
	machine1 = client.ObjectKey{Namespace: "ns", Name: "machine1"}
)

// rules are allowances with simple numbers.
var rules = Allowances{Patience: 10 * time.Second, Reconnect: 30 * time.Second, Overlap: 2 * time.Second}

// story returns a ledger of one machine that ends after 200 seconds.
func story(r Record, times map[About][]Span) *Ledger {
	r.Cluster = cluster1
	if r.Repairs == nil {
		r.Repairs = repaired(r)
	}
	return &Ledger{Machines: map[client.ObjectKey]*Record{machine1: &r}, Times: times, End: at(200)}
}

// repaired returns the repairs of a marked machine: one that is open while it is sick.
func repaired(r Record) []Repair {
	if r.Marked.At.IsZero() {
		return nil
	}
	repair := Repair{Name: "r-1", Span: Span{From: r.Marked.At, To: r.Marked.At.Add(time.Second)}}
	for _, s := range r.Sick {
		repair.To = s.Ended
	}
	if !r.Gone.IsZero() {
		repair.To = r.Gone
	}
	return []Repair{repair}
}

// sick returns a sickness, in seconds after noon; an end of 0 means none.
func sick(deadline, ended int) []Sickness {
	s := Sickness{Kind: NotReady, Deadline: at(deadline)}
	if ended > 0 {
		s.Ended = at(ended)
	}
	return []Sickness{s}
}

func said(seconds int) Saying { return Saying{at(seconds), "not ready"} }

func TestJudge(t *testing.T) {
	inCluster := func(fact Fact, spans ...Span) map[About][]Span { return map[About][]Span{{fact, cluster1}: spans} }
	for name, tc := range map[string]struct {
		record Record
		times  map[About][]Span
		want   []string
	}{
		"healthy all the time": {},
		"healthy, called sick": {
			record: Record{Called: []Saying{said(50)}},
			want:   []string{"Machine ns/machine1 was healthy all the time, also at 12:00:50.000, and was called unhealthy then: not ready."},
		},
		"healthy in a silent cluster, called sick": {
			record: Record{Called: []Saying{said(50)}},
			times:  inCluster(Silent, from(40, 60)),
			want:   []string{"Machine ns/machine1 was healthy all the time, also at 12:00:50.000, and was called unhealthy then: not ready."},
		},
		"healthy, marked": {
			record: Record{Marked: said(50)},
			want:   []string{"Machine ns/machine1 was healthy all the time, also at 12:00:50.000, and was marked for its owner then: not ready."},
		},
		"healthy, not called so": {
			record: Record{Verdict: "who knows"},
			want:   []string{"Machine ns/machine1 is well at the end, and is not called healthy: who knows."},
		},
		"deleted by somebody": {
			record: Record{Gone: at(50), Verdict: "gone"},
			want:   []string{"Machine ns/machine1 was deleted at 12:00:50.000, not by its owner."},
		},
		"sick, treated, replaced": {
			record: Record{Sick: sick(50, 0), Called: []Saying{said(50)}, Marked: said(51), Released: true, Gone: at(52), Verdict: "not ready"},
		},
		"marked before the deadline": {
			record: Record{Sick: sick(50, 0), Marked: said(49), Released: true},
			want:   []string{"Machine ns/machine1 was not sick beyond a deadline at 12:00:49.000, and was marked for its owner then: not ready."},
		},
		"recovered in time, and called sick": {
			record: Record{Sick: sick(50, 47), Called: []Saying{said(50)}},
			want:   []string{"Machine ns/machine1 was not sick beyond a deadline at 12:00:50.000, and was called unhealthy then: not ready."},
		},
		"recovered in time, unseen": {
			record: Record{Sick: sick(50, 47), Called: []Saying{said(50)}},
			times:  inCluster(Silent, from(46, 60)),
		},
		"recovered in time, unseen, and marked": {
			record: Record{Sick: sick(50, 47), Marked: said(75)},
			times:  inCluster(Silent, from(46, 60)),
			want:   []string{"Machine ns/machine1 was not sick beyond a deadline at 12:01:15.000, and was marked for its owner then: not ready."},
		},
		"recovered in that moment": {record: Record{Sick: sick(50, 51), Marked: said(53)}},
		"recovered late, marked later": {
			record: Record{Sick: sick(50, 51), Marked: said(54)},
			want:   []string{"Machine ns/machine1 was not sick beyond a deadline at 12:00:54.000, and was marked for its owner then: not ready."},
		},
		"treated just in time": {record: Record{Sick: sick(50, 0), Marked: said(60), Released: true}},
		"treated late": {
			record: Record{Sick: sick(50, 0), Marked: said(61), Released: true},
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 11s nothing was done, nor was said why."},
		},
		"never treated": {
			record: Record{Sick: sick(50, 0)},
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 2m30s nothing was done, nor was said why."},
		},
		"never treated, recovered": {
			record: Record{Sick: sick(50, 70)},
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 20s nothing was done, nor was said why."},
		},
		"due only just now":         {record: Record{Sick: sick(195, 0)}},
		"too many, and it was said": {record: Record{Sick: sick(50, 0)}, times: inCluster(SaysRestricted, from(51, 0))},
		"too many, then somebody slept": {
			record: Record{Sick: sick(50, 100)},
			times:  inCluster(SaysRestricted, from(51, 80)),
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 20s nothing was done, nor was said why."},
		},
		"paused, and it was said": {
			record: Record{Sick: sick(50, 100)},
			times:  map[About][]Span{{Paused, cluster1}: {from(40, 95)}, {SaysPaused, cluster1}: {from(41, 96)}},
		},
		"paused, and nobody said so": {
			record: Record{Sick: sick(50, 100)},
			times:  inCluster(Paused, from(40, 95)),
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 50s nothing was done, nor was said why."},
		},
		"called paused, and it was not": {
			record: Record{Sick: sick(50, 100)},
			times:  inCluster(SaysPaused, from(40, 0)),
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 50s nothing was done, nor was said why."},
		},
		"marked while paused": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Released: true},
			times:  inCluster(Paused, from(40, 95)),
			want:   []string{"Machine ns/machine1 was marked for its owner at 12:00:51.000, while the MachineHealthCheck is paused since 12:00:40.000."},
		},
		"marked just as it was paused": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Released: true},
			times:  inCluster(Paused, from(50, 95)),
		},
		"to be skipped": {
			record: Record{Sick: sick(50, 100)},
			times:  map[About][]Span{{Skip, machine1}: {from(40, 101)}},
		},
		"another is to be skipped": {
			record: Record{Sick: sick(50, 100)},
			times:  map[About][]Span{{Skip, cluster1}: {from(40, 101)}},
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 50s nothing was done, nor was said why."},
		},
		"marked while to be skipped": {
			record: Record{Sick: sick(50, 100), Marked: said(60)},
			times:  map[About][]Span{{Skip, machine1}: {from(40, 101)}},
			want:   []string{"Machine ns/machine1 was marked for its owner at 12:01:00.000, while the Machine is annotated to be skipped since 12:00:40.000."},
		},
		"the manager is down":    {record: Record{Sick: sick(50, 100)}, times: map[About][]Span{{Fact: Down}: {from(45, 91)}}},
		"the manager was down":   {record: Record{Sick: sick(50, 0), Marked: said(75), Released: true}, times: map[About][]Span{{Fact: Down}: {from(45, 70)}}},
		"the cluster is silent":  {record: Record{Sick: sick(50, 0)}, times: inCluster(Silent, from(45, 0))},
		"the cluster comes back": {record: Record{Sick: sick(50, 0), Marked: said(135), Released: true}, times: inCluster(Silent, from(45, 100))},
		"another cluster is silent": {
			record: Record{Sick: sick(50, 0), Marked: said(80), Released: true},
			times:  map[About][]Span{{Silent, machine1}: {from(45, 79)}},
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 30s nothing was done, nor was said why."},
		},
		"the cluster came back long ago": {
			record: Record{Sick: sick(50, 0), Marked: said(141), Released: true},
			times:  inCluster(Silent, from(45, 100)),
			want:   []string{"Machine ns/machine1 was sick (Node not ready) beyond its deadline at 12:00:50.000, and for 11s nothing was done, nor was said why."},
		},
		"marked, and forgotten": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Repairs: []Repair{{"r-1", from(51, 80)}}},
			want:   []string{"Machine ns/machine1 was sick beyond its deadline at 12:00:50.000, was marked, and for 2m0s had no open MachineRemediation, nor was said why."},
		},
		"marked, and recorded again": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Repairs: []Repair{{"r-1", from(51, 80)}, {"r-2", from(85, 0)}}},
		},
		"marked, recovered, and still open": {
			record: Record{Sick: sick(50, 60), Marked: said(51), Repairs: []Repair{{"r-1", from(51, 71)}}},
			want:   []string{"Machine ns/machine1 was well, or gone, and for 11s MachineRemediation r-1 stayed open, which began at 12:00:51.000."},
		},
		"marked, recovered, and open until the manager is back": {
			record: Record{Sick: sick(50, 60), Marked: said(51), Repairs: []Repair{{"r-1", from(51, 71)}}},
			times:  map[About][]Span{{Fact: Down}: {from(59, 65)}},
		},
		"replaced, and still open": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Released: true, Gone: at(60), Verdict: "x", Repairs: []Repair{{"r-1", from(51, 0)}}},
			want:   []string{"Machine ns/machine1 was well, or gone, and for 2m20s MachineRemediation r-1 stayed open, which began at 12:00:51.000."},
		},
		"healthy, and recorded": {
			record: Record{Repairs: []Repair{{"r-1", from(51, 80)}}},
			want:   []string{"Machine ns/machine1 was well, or gone, and for 29s MachineRemediation r-1 stayed open, which began at 12:00:51.000."},
		},
		"two at once": {
			record: Record{Sick: sick(50, 90), Marked: said(51), Repairs: []Repair{{"r-1", from(51, 80)}, {"r-2", from(70, 90)}}},
			want:   []string{"Machine ns/machine1 has two MachineRemediations at once since 12:01:10.000, r-1 and r-2."},
		},
		"the record says what it waits for": {
			record: Record{Sick: sick(50, 100), Repairs: []Repair{{"r-1", from(51, 100)}}},
			times:  map[About][]Span{{SaysWaiting, machine1}: {from(51, 100)}},
		},
		"marked blindly": {
			record: Record{Sick: sick(50, 0), Marked: said(51), Released: true},
			times:  inCluster(Silent, from(45, 100)),
			want:   []string{"Machine ns/machine1 was marked for its owner at 12:00:51.000, while the workload cluster did not answer since 12:00:45.000."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Judge(story(tc.record, tc.times), rules)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSummarize(t *testing.T) {
	l := story(Record{Sick: append(sick(50, 70), sick(100, 0)...), Marked: said(103), Released: true}, map[About][]Span{
		{Silent, cluster1}: {from(90, 101)}, {Fact: Down}: {from(60, 65)}, {Paused, cluster1}: {from(0, 5)},
	})
	l.Machines[cluster1] = &Record{Cluster: machine1, Sick: sick(80, 0), Marked: said(81)}
	l.Machines[client.ObjectKey{Name: "reconnecting"}] = &Record{Cluster: cluster1, Sick: sick(110, 0), Marked: said(125)}
	l.Machines[client.ObjectKey{Name: "left"}] = &Record{Cluster: machine1, Sick: sick(190, 0)}
	l.Machines[client.ObjectKey{Name: "flap"}] = &Record{Cluster: machine1, Sick: sick(190, 185)}
	want := Summary{
		Due: 5, Remedied: 3, Recovered: 1, Left: 1,
		Reasons: map[Fact]int{Silent: 1, Down: 1}, Delays: []time.Duration{time.Second}, AfterSilence: []time.Duration{2 * time.Second},
	}
	if diff := cmp.Diff(want, Summarize(l, rules)); diff != "" {
		t.Error(diff)
	}
}

func TestLedgerNotesChangesOnly(t *testing.T) {
	l := &Ledger{Times: map[About][]Span{}}
	about := About{Paused, cluster1}
	for seconds, so := range []bool{false, true, true, false, false, true} {
		l.setAt(about, so, at(seconds))
	}
	if diff := cmp.Diff([]Span{from(1, 3), from(5, 0)}, l.Times[about]); diff != "" {
		t.Error(diff)
	}
}
