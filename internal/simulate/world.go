package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// World is how the world reacts to requests. By default, everything helps.
type World struct {
	Owners       Owners
	Repairs      Repairs
	Replacements Replacements
}

// Owners says what the owner of a machine does when asked to replace it.
type Owners string

// The reactions of owners: each acts as is known of it, or all of them do the same.
const (
	OwnersAsTheyAre Owners = "as-they-are"
	OwnersReplace   Owners = "replace"
	OwnersRefuse    Owners = "refuse"
	OwnersSilent    Owners = "silent"
	// ownersDefer is how a MachineSet acts that may replace no machine. Nobody can assume it of all.
	ownersDefer Owners = "defer"
)

// Repairs says what power cycles and requests achieve.
type Repairs string

// The effects of repairs: the machine becomes healthy, nothing changes, or the repair reports a failure.
const (
	RepairsHelp Repairs = "help"
	RepairsVain Repairs = "vain"
	RepairsFail Repairs = "fail"
)

// Replacements says in which state successors of replaced machines are.
type Replacements string

// The states of replacements: healthy, without a Node forever, or with a Node that is not Ready.
const (
	ReplacementsHealthy  Replacements = "healthy"
	ReplacementsNodeless Replacements = "nodeless"
	ReplacementsSick     Replacements = "sick"
)

// InVain is a world in which no act helps.
var InVain = World{Repairs: RepairsVain, Replacements: ReplacementsNodeless}

// answers are the possible assumptions, the default first.
var answers = []struct {
	what    string
	allowed []string
	set     func(*World, string)
}{
	{"owners", []string{string(OwnersAsTheyAre), string(OwnersReplace), string(OwnersRefuse), string(OwnersSilent)}, func(w *World, how string) { w.Owners = Owners(how) }},
	{"repairs", []string{string(RepairsHelp), string(RepairsVain), string(RepairsFail)}, func(w *World, how string) { w.Repairs = Repairs(how) }},
	{"replacements", []string{string(ReplacementsHealthy), string(ReplacementsNodeless), string(ReplacementsSick)}, func(w *World, how string) { w.Replacements = Replacements(how) }},
}

// Answers returns all values that Assume takes.
func Answers() []string {
	var all []string
	for _, a := range answers {
		for _, how := range a.allowed {
			all = append(all, a.what+"="+how)
		}
	}
	return all
}

// Assume reads owners=HOW, repairs=HOW or replacements=HOW.
func (w *World) Assume(text string) error {
	what, how, _ := strings.Cut(text, "=")
	for _, a := range answers {
		if a.what == what && slices.Contains(a.allowed, how) {
			a.set(w, how)
			return nil
		}
	}
	return fmt.Errorf("%q cannot be assumed: it must be one of %s", text, strings.Join(Answers(), ", "))
}

// words states the assumptions about acts.
func (w World) words(takes string) string {
	switch w {
	case World{}.full():
		return fmt.Sprintf("every action helps after %s (a rebooted machine is healthy; a replaced one has a healthy successor, here called NAME-new)", takes)
	case InVain.full():
		return fmt.Sprintf("no action helps (after %s a reboot ends without effect; a replaced machine has a successor, here called NAME-new, whose Node never appears)", takes)
	}
	repairs := map[Repairs]string{
		RepairsHelp: "a reboot or a request helps", RepairsVain: "a reboot ends without effect", RepairsFail: "a reboot or a request fails",
	}[w.Repairs]
	replaced := map[Replacements]string{
		ReplacementsHealthy: "a healthy successor", ReplacementsNodeless: "a successor whose Node never appears", ReplacementsSick: "a successor whose Node is not Ready",
	}[w.Replacements]
	owners := map[Owners]string{
		OwnersAsTheyAre: fmt.Sprintf("a replaced machine has %s, here called NAME-new", replaced),
		OwnersReplace:   fmt.Sprintf("every owner replaces what it is asked for, and a replaced machine has %s, here called NAME-new", replaced),
		OwnersRefuse:    "owners refuse to replace machines", OwnersSilent: "owners that are asked to replace machines never answer",
	}[w.Owners]
	return fmt.Sprintf("after %s %s; %s", takes, repairs, owners)
}

// full returns w with its defaults filled in.
func (w World) full() World {
	return World{cmp.Or(w.Owners, OwnersAsTheyAre), cmp.Or(w.Repairs, RepairsHelp), cmp.Or(w.Replacements, ReplacementsHealthy)}
}
