package result

import "fmt"

// Hanging returns the numbers of clusters that hang at the same time, one per measurement. 0 is for comparison.
func Hanging() []int { return []int{0, 1, 3, 8, 50} }

// HangVerdict is the 99th percentile of the detection delay in the other clusters while that many hang.
func HangVerdict(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-verdict", clusters)) }

// HangMark is the same for the mark, before which Sickbay reads the Node live.
func HangMark(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-mark", clusters)) }

// aboutHanging describes these measures.
func aboutHanging() []About {
	var all []About
	for _, n := range Hanging() {
		title := fmt.Sprintf("Beside %d hanging, ", n)
		all = append(all,
			About{HangVerdict(n), Info{title + "verdict p99", "In those that do not: from the deadline of a machine that falls sick alone to its stored verdict.", "s"}},
			About{HangMark(n), Info{title + "mark p99", "The same to the mark for the owner.", "s"}},
		)
	}
	return all
}
