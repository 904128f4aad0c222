package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestRunbooksCommands: each command in a runbook exists, with its flags.
func TestRunbooksCommands(t *testing.T) {
	for file, text := range docs.Texts(t, "../../docs/runbooks/*.md") {
		commands := commandsIn(text)
		if len(commands) < 3 {
			t.Errorf("%s has hardly a command: %q", file, commands)
		}
		for _, command := range commands {
			if err := checkCommand(command); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(file), command, err)
			}
		}
	}
}

// TestCommandsThatDoNotExist proves that the test above can fail.
func TestCommandsThatDoNotExist(t *testing.T) {
	for command, want := range map[string]string{
		"sickbay explian NAME":               "unknown command",
		"sickbay explain NAME --why":         "unknown flag: --why",
		"sickbay retry mr/NAME --from":       "flag needs an argument",
		"kubectl gte pods":                   "there is no such command",
		"kubectl get pods --everywhere":      "no flag --everywhere",
		"kubectl get pods -Z":                "no flag -Z",
		"kubectl auth may-i get pods":        "there is no such command",
		"kubectl logs deployment/sickbay":    "",
		"kubectl get pods -A -o wide":        "",
		"sickbay hold mhc/NAME --for 2h":     "",
		"kubectl annotate machine NAME key-": "",
	} {
		err := checkCommand(command)
		if got := fmt.Sprint(err); (want == "") != (err == nil) || want != "" && !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", command, err, want)
		}
	}
}

var (
	codeBlock   = regexp.MustCompile("(?s)\n```\n(.*?)\n```\n")
	inlineCode  = regexp.MustCompile("`([^`\n]+)`")
	commandLine = regexp.MustCompile(`^(sickbay|kubectl) [a-z]`)
)

// commandsIn returns the commands on a page, from blocks and from sentences; it splits pipes.
func commandsIn(page string) []string {
	var lines []string
	for _, block := range codeBlock.FindAllStringSubmatch(page, -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	for _, inline := range inlineCode.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, "\n"), -1) {
		if commandLine.MatchString(inline[1]) {
			lines = append(lines, inline[1])
		}
	}
	var commands []string
	for _, line := range lines {
		commands = append(commands, strings.Split(line, " | ")...)
	}
	return commands
}

// commandWord matches one word of a command; quotes hold it together.
var commandWord = regexp.MustCompile(`(?:[^\s']|'[^']*')+`)

func checkCommand(command string) error {
	words := commandWord.FindAllString(command, -1)
	switch words[0] {
	case "sickbay":
		return checkOurs(words[1:])
	case "kubectl":
		return checkKubectl(words[1:])
	}
	return fmt.Errorf("%s is no command of a runbook", words[0])
}

func checkOurs(args []string) error {
	root := newRoot("sickbay")
	root.InitDefaultCompletionCmd(args...)
	cmd, rest, err := root.Find(args)
	if err != nil || len(rest) == 0 { // a sentence mentions it
		return err
	}
	if err := cmd.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

func checkKubectl(args []string) error {
	path := args[:1]
	if slices.Contains([]string{"auth", "top", "rollout", "config", "create"}, args[0]) {
		path = args[:2]
	}
	usage := kubectlSays(append(slices.Clone(path), "--help")...)
	if !strings.Contains(usage, "Usage:\n  kubectl "+strings.Join(path, " ")+" ") {
		return errors.New("there is no such command")
	}
	usage += kubectlSays("options")
	for _, arg := range args[len(path):] {
		flag, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(flag, "-") || flag == "-" {
			continue
		}
		if !regexp.MustCompile(`(?m)^ {4}(-., )?` + regexp.QuoteMeta(flag) + `[,= ]`).MatchString(usage) {
			return fmt.Errorf("kubectl %s has no flag %s", strings.Join(path, " "), flag)
		}
	}
	return nil
}

// kubectlSaid caches the output of kubectl.
var kubectlSaid = map[string]string{}

// kubectlSays returns the output of the real kubectl, or the reason why there is none.
func kubectlSays(args ...string) string {
	asked := strings.Join(args, " ")
	if _, known := kubectlSaid[asked]; !known {
		kubectlSaid[asked] = runKubectl(args)
	}
	return kubectlSaid[asked]
}

func runKubectl(args []string) string {
	out, err := exec.Command(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), args...).CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(out)
}
