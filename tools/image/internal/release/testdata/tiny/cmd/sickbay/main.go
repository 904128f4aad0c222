// Command sickbay stands for the real one: it prints its version, and as whom it runs.
package main

import (
	"os"
	"strconv"
)

var version = "dev"

func main() {
	_, _ = os.Stdout.WriteString("sickbay " + version + " as " + strconv.Itoa(os.Getuid()) + "\n")
}
