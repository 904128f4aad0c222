package cli

import "strings"

// lineDiff is what has to be taken from a text (-) and put into it (+) for another one, line by line; empty if they are the same.
func lineDiff(before, after string) string {
	a, b := lines(before), lines(after)
	// same[i][j] is how many lines a[i:] and b[j:] have in common, in order.
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			same[i][j] = max(same[i+1][j], same[i][j+1])
			if a[i] == b[j] {
				same[i][j] = 1 + same[i+1][j+1]
			}
		}
	}
	var diff strings.Builder
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || (i < len(a) && same[i+1][j] >= same[i][j+1]):
			diff.WriteString("- " + a[i] + "\n")
			i++
		default:
			diff.WriteString("+ " + b[j] + "\n")
			j++
		}
	}
	return diff.String()
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
