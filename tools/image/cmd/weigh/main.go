// Command weigh prints a table of the modules that take the most space in a binary.
package main

import (
	"fmt"
	"os"

	"github.com/sickbay-dev/sickbay/tools/image/internal/weight"
)

// shown is how many modules the table lists; the others share one row.
const shown = 20

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "weigh takes the path of a binary")
		os.Exit(2)
	}
	parts, err := weight.Of(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var all, rest uint64
	for i, part := range parts {
		all += part.Code
		if i >= shown {
			rest += part.Code
		}
	}
	fmt.Fprintln(os.Stdout, "| module | functions | share |\n|---|---|---|")
	row := func(name string, code uint64) {
		fmt.Fprintf(os.Stdout, "| %s | %.2f MB | %.1f %% |\n", name, float64(code)/1e6, 100*float64(code)/float64(all))
	}
	for _, part := range parts[:min(shown, len(parts))] {
		row(part.Module, part.Code)
	}
	if len(parts) > shown {
		row(fmt.Sprintf("%d others", len(parts)-shown), rest)
	}
	row("all", all)
}
