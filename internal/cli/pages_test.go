package cli

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// pages are the documentation pages with commands that people type. Pages that another test executes, such as docs/install.md,
// are left out.
var pages = []string{
	"README.md", "SECURITY.md", "docs/concepts.md", "docs/plans.md", "docs/commands.md", "docs/operations.md",
	"docs/operations/bare-metal.md", "docs/operations/dashboard.md", "docs/operations/monitoring.md", "docs/operations/permissions.md",
	"docs/operations/repairs.md", "docs/operations/troubleshooting.md", "docs/operations/upgrade.md", "docs/operations/upgrade-pauses.md",
}

var (
	anyBlock = regexp.MustCompile("(?s)\n```[a-z]*\n(.*?)\n```\n")
	// behind is the rest of the line after the command.
	behind = regexp.MustCompile(`( +# .*| >.*| &)$`)
)

// TestCommandsOfPages: each command of Sickbay and of kubectl on a page exists, with its flags.
func TestCommandsOfPages(t *testing.T) {
	for _, file := range pages {
		commands := typedOn(docs.Text(t, filepath.Join("../..", file)))
		if len(commands) == 0 {
			t.Errorf("%s has no commands", file)
		}
		for _, command := range commands {
			if err := checkCommand(command); err != nil {
				t.Errorf("%s: %s: %v", file, command, err)
			}
		}
	}
}

// typedOn returns the commands on a page, from blocks and from sentences. It leaves out other programs and output.
func typedOn(page string) (commands []string) {
	var lines []string
	for _, block := range anyBlock.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n")...)
	}
	for _, inline := range inlineCode.FindAllStringSubmatch(anyBlock.ReplaceAllString(page, "\n"), -1) {
		lines = append(lines, inline[1])
	}
	for _, line := range lines {
		// In a table, a pipe is escaped with a backslash.
		line = strings.ReplaceAll(behind.ReplaceAllString(line, ""), `\|`, "|")
		for command := range strings.SplitSeq(line, " | ") {
			command = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(command), "$ "), "bin/")
			if plugin, ok := strings.CutPrefix(command, "kubectl sickbay "); ok {
				command = "sickbay " + plugin
			}
			if commandLine.MatchString(command) {
				commands = append(commands, command)
			}
		}
	}
	return commands
}
