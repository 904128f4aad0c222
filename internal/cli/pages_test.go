package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pages are those with commands that people type. What a test follows to the letter, as docs/install.md, is not among them.
var pages = []string{"README.md", "SECURITY.md", "docs/operations.md", "docs/concepts.md", "docs/plans.md", "docs/commands.md"}

var (
	anyBlock = regexp.MustCompile("(?s)\n```[a-z]*\n(.*?)\n```\n")
	// behind is what follows a command on its line.
	behind = regexp.MustCompile(`( +# .*| >.*| &)$`)
)

// TestCommandsOfPages: each command of Sickbay and of kubectl on a page exists, with its flags.
func TestCommandsOfPages(t *testing.T) {
	for _, file := range pages {
		text, err := os.ReadFile(filepath.Join("../..", file))
		if err != nil {
			t.Fatal(err)
		}
		commands := typedOn(string(text))
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

// typedOn returns what people type of a page, from blocks and from sentences. Other programs and what is printed are left out.
func typedOn(page string) (commands []string) {
	var lines []string
	for _, block := range anyBlock.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(strings.ReplaceAll(block[1], "\\\n", " "), "\n")...)
	}
	for _, inline := range inlineCode.FindAllStringSubmatch(anyBlock.ReplaceAllString(page, "\n"), -1) {
		lines = append(lines, inline[1])
	}
	for _, line := range lines {
		// In a table, the sign of a pipe has a backslash before it.
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
