package demo

import "github.com/sickbay-dev/sickbay/sim/scenario"

// painter colors the output on a terminal. The words always say what a color says, too.
type painter bool

const (
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	cyan   = "36"
)

var colors = map[scenario.Kind]string{
	scenario.Broke: red, scenario.Mended: green, scenario.Judged: yellow, scenario.Acted: blue,
	scenario.Owner: cyan, scenario.Healthy: green, scenario.Refrains: blue,
	scenario.Records: blue, scenario.Decides: cyan, scenario.Upgrades: cyan, scenario.Resumes: blue, scenario.Power: cyan,
}

func (p painter) paint(color, text string) string {
	if !p || color == "" {
		return text
	}
	return "\x1b[" + color + "m" + text + "\x1b[0m"
}
