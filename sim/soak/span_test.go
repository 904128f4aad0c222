package soak

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// noon is the time at which tests begin.
var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at returns a time in seconds after noon.
func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

// from returns a span in seconds after noon; an end of 0 means none.
func from(begin, end int) Span {
	if end == 0 {
		return Span{From: at(begin)}
	}
	return Span{From: at(begin), To: at(end)}
}

func TestLongestGap(t *testing.T) {
	for name, tc := range map[string]struct {
		in     Span
		others []Span
		want   int
	}{
		"nothing else":      {from(10, 40), nil, 30},
		"covered":           {from(10, 40), []Span{from(5, 50)}, 0},
		"exactly covered":   {from(10, 40), []Span{from(10, 40)}, 0},
		"covered for good":  {from(10, 40), []Span{from(5, 0)}, 0},
		"before":            {from(10, 40), []Span{from(20, 40)}, 10},
		"after":             {from(10, 40), []Span{from(10, 25)}, 15},
		"between":           {from(10, 40), []Span{from(30, 45), from(5, 12)}, 18},
		"the longer of two": {from(10, 40), []Span{from(13, 20)}, 20},
		"one in another":    {from(10, 40), []Span{from(12, 30), from(15, 20)}, 10},
		"elsewhere":         {from(10, 40), []Span{from(0, 5), from(50, 60)}, 30},
		"for good, later":   {from(10, 40), []Span{from(35, 0)}, 25},
		"never":             {from(40, 10), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := longestGap(tc.in, tc.others); got != time.Duration(tc.want)*time.Second {
				t.Errorf("got %s, want %ds", got, tc.want)
			}
		})
	}
}

// The longest gap equals the one found by checking each second.
func TestLongestGapCounted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Custom(func(t *rapid.T) Span {
			begin := rapid.IntRange(0, 30).Draw(t, "begin")
			return from(begin, begin+rapid.IntRange(1, 15).Draw(t, "length"))
		})
		in, others := span.Draw(t, "in"), rapid.SliceOfN(span, 0, 5).Draw(t, "others")
		longest, current := 0, 0
		for now := in.From; now.Before(in.To); now = now.Add(time.Second) {
			current++
			for _, other := range others {
				if other.holds(now) {
					current = 0
					break
				}
			}
			longest = max(longest, current)
		}
		if got := longestGap(in, others); got != time.Duration(longest)*time.Second {
			t.Fatalf("got %s, counted %ds", got, longest)
		}
	})
}

func TestCommon(t *testing.T) {
	for name, tc := range map[string]struct{ a, b, want []Span }{
		"nothing":    {[]Span{from(1, 5)}, []Span{from(5, 9)}, nil},
		"some":       {[]Span{from(1, 5)}, []Span{from(3, 9)}, []Span{from(3, 5)}},
		"all of one": {[]Span{from(1, 0)}, []Span{from(3, 9)}, []Span{from(3, 9)}},
		"for good":   {[]Span{from(1, 0)}, []Span{from(3, 0)}, []Span{from(3, 0)}},
		"twice":      {[]Span{from(1, 5), from(7, 9)}, []Span{from(4, 8)}, []Span{from(4, 5), from(7, 8)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, common(tc.a, tc.b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
