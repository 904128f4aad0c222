package simulate

import (
	"fmt"
	"slices"
	"strings"
)

// World is how the world answers what is asked of it. Unless it is said otherwise, everything helps.
type World struct {
	Owners       Owners
	Repairs      Repairs
	Replacements Replacements
}

// Owners says what the owner of a machine does that is asked to replace it.
type Owners string

// The ways of owners.
const (
	OwnersReplace Owners = "replace"
	OwnersRefuse  Owners = "refuse"
	OwnersSilent  Owners = "silent"
)

// Repairs says what power cycles and requests lead to.
type Repairs string

// What comes of repairs: the machine is healthy, nothing is different, or they say that they have failed.
const (
	RepairsHelp Repairs = "help"
	RepairsVain Repairs = "vain"
	RepairsFail Repairs = "fail"
)

// Replacements says how the machine is that comes in the place of a replaced one.
type Replacements string

// How replacements are: healthy, without a Node for ever, or with one that is not Ready.
const (
	ReplacementsHealthy  Replacements = "healthy"
	ReplacementsNodeless Replacements = "nodeless"
	ReplacementsSick     Replacements = "sick"
)

// InVain is a world in which no act helps.
var InVain = World{Repairs: RepairsVain, Replacements: ReplacementsNodeless}

// answers are what can be assumed, the usual first.
var answers = []struct {
	what    string
	allowed []string
	set     func(*World, string)
}{
	{"owners", []string{string(OwnersReplace), string(OwnersRefuse), string(OwnersSilent)}, func(w *World, how string) { w.Owners = Owners(how) }},
	{"repairs", []string{string(RepairsHelp), string(RepairsVain), string(RepairsFail)}, func(w *World, how string) { w.Repairs = Repairs(how) }},
	{"replacements", []string{string(ReplacementsHealthy), string(ReplacementsNodeless), string(ReplacementsSick)}, func(w *World, how string) { w.Replacements = Replacements(how) }},
}

// Answers are all values that Assume takes.
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

// words say what is taken for granted about acts.
func (w World) words(takes string) string {
	switch w {
	case World{}.full():
		return fmt.Sprintf("every act helps after %s (a rebooted machine is healthy; in the place of a replaced one is another, here called NAME-new)", takes)
	case InVain.full():
		return fmt.Sprintf("no act helps (after %s a reboot is over in vain; in the place of a replaced machine is another, here called NAME-new, whose Node never appears)", takes)
	}
	repairs := map[Repairs]string{
		RepairsHelp: "a reboot or a request helps", RepairsVain: "a reboot is over in vain", RepairsFail: "a reboot or a request fails",
	}[w.Repairs]
	replaced := map[Replacements]string{
		ReplacementsHealthy: "a healthy one", ReplacementsNodeless: "another, whose Node never appears", ReplacementsSick: "another, whose Node is not Ready",
	}[w.Replacements]
	owners := map[Owners]string{
		OwnersReplace: fmt.Sprintf("in the place of a replaced machine is %s, here called NAME-new", replaced),
		OwnersRefuse:  "owners refuse to replace machines", OwnersSilent: "owners that are asked to replace machines never answer",
	}[w.Owners]
	return fmt.Sprintf("after %s %s; %s", takes, repairs, owners)
}

// full is a world in which everything is said.
func (w World) full() World {
	if w.Owners == "" {
		w.Owners = OwnersReplace
	}
	if w.Repairs == "" {
		w.Repairs = RepairsHelp
	}
	if w.Replacements == "" {
		w.Replacements = ReplacementsHealthy
	}
	return w
}
