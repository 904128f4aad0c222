package cli

import (
	"slices"
	"strings"
)

// lineDiff is what has to be taken from a text (-) and put into it (+) for another one, line by line; empty if they are the same.
func lineDiff(before, after string) string {
	a, b := lines(before), lines(after)
	same := common(a, b)
	var diff strings.Builder
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			diff.WriteString("- " + a[i] + "\n")
			i++
		default:
			diff.WriteString("+ " + b[j] + "\n")
			j++
		}
	}
	for _, line := range a[i:] {
		diff.WriteString("- " + line + "\n")
	}
	for _, line := range b[j:] {
		diff.WriteString("+ " + line + "\n")
	}
	return diff.String()
}

// common says of each pair of places how many lines the rests from there have in common, in order.
func common(a, b []string) [][]int {
	same := make([][]int, len(a)+1)
	same[len(a)] = make([]int, len(b)+1)
	for i, x := range slices.Backward(a) {
		same[i] = make([]int, len(b)+1)
		for j, y := range slices.Backward(b) {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if x == y {
				same[i][j] = 1 + same[i+1][j+1]
			}
		}
	}
	return same
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
