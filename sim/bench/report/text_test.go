package report

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

func TestAmounts(t *testing.T) {
	tests := []struct {
		unit   string
		values []float64
		want   string
	}{
		{"s", []float64{1.2345}, "1.23 s"},
		{"s", []float64{0.0123, 0.5, 12}, "0.0123 / 0.5 / 12 s"},
		{"s", []float64{0.0123, 0.5, 0.0004}, "12.3 / 500 / 0.4 ms"},
		{"s", []float64{0.9996}, "1 s"},
		{"s", []float64{0.9994}, "999 ms"},
		{"s", []float64{0.0000012345}, "0.00123 ms"},
		{"s", []float64{0}, "0 s"},
		{"s", []float64{123456}, "123,000 s"},
		{"B", []float64{0, 0, 12}, "0 / 0 / 12 B"},
		{"B", []float64{2048}, "2 KiB"},
		{"B", []float64{1023}, "1,020 B"},
		{"B", []float64{512 << 10, 3 << 20}, "0.5 / 3 MiB"},
		{"B", []float64{7.8 * (1 << 30)}, "7.8 GiB"},
		{"1", []float64{0, 1.5, 3}, "0 / 1.5 / 3"},
		{"1", []float64{0, 0, 0}, "0 / 0 / 0"},
		{"1", []float64{0.001}, "0.001"},
		{"1", []float64{9999, 1234567}, "10,000 / 1,230,000"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, amounts(tt.unit, tt.values...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.values, diff)
		}
	}
}

func TestRatio(t *testing.T) {
	for value, want := range map[float64]string{
		0: "0", 0.04: "1/25", 0.5: "1/2", 0.78: "1/1.3", 0.0001: "1/10,000", 0.96: "1", 1: "1", 1.3: "1.3", 1.349: "1.3", 25.4: "25", 1234: "1,200",
	} {
		if diff := cmp.Diff(want, ratio(value)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", value, diff)
		}
	}
}

// TestAmountIsClose: the text is the value, to three digits.
func TestAmountIsClose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]string{"s", "B", "1"}).Draw(t, "unit")
		value := rapid.Float64Range(1e-6, 1e12).Draw(t, "value")
		number, name, _ := strings.Cut(amounts(of, value), " ")
		read, err := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, unit := range units(of) {
			if strings.TrimSpace(unit.name) == name {
				read *= unit.size
			}
		}
		if math.Abs(read-value) > value*0.005001 {
			t.Fatalf("%v is written as %s %s", value, number, name)
		}
	})
}

// TestRatioTurns: the inverse of 1/n is n.
func TestRatioTurns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(1, 1e6).Draw(t, "value")
		want := ratio(value)
		if want != "1" {
			want = "1/" + want
		}
		// A value on the border between two roundings may fall to either side.
		if got := ratio(1 / value); got != want && rounded(1/(1/value), 2) == rounded(value, 2) {
			t.Fatalf("%v is %s, and the other way round %s", value, ratio(value), got)
		}
	})
}

func TestNames(t *testing.T) {
	for _, subject := range result.Subjects() {
		if name(subject) == "" || hue(subject) == nil {
			t.Errorf("%s has no name, or no colour", subject)
		}
	}
	got := []string{fleet(result.Fleet{Clusters: 1, Machines: 10000}), fleet(result.Fleet{Clusters: 100, Machines: 50})}
	if diff := cmp.Diff([]string{"1 cluster of 10,000 machines", "100 clusters of 50 machines"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
