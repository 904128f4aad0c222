package result

import "fmt"

// Hanging returns how many clusters hang at the same time, one number after the other. With none, the same is measured.
func Hanging() []int { return []int{0, 1, 3, 8, 50} }

// HangVerdict is the 99th percentile of the detection delay in the other clusters while so many hang.
func HangVerdict(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-verdict", clusters)) }

// HangMark is the same to the mark: before it the Node is read live.
func HangMark(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-mark", clusters)) }

// aboutHanging says what there is to say about these.
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
