package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

const none = "-"

// name returns the name of a subject for texts.
func name(s result.Subject) string {
	return map[result.Subject]string{
		result.Sickbay:   "Sickbay",
		result.Previous:  "Previous",
		result.Upstream:  "Upstream",
		result.Unlimited: "Upstream, unlimited",
		result.Floor:     "Floor",
	}[s]
}

// fleet returns the name of a fleet for texts.
func fleet(f result.Fleet) string {
	clusters := "1 cluster"
	if f.Clusters != 1 {
		clusters = grouped(float64(f.Clusters)) + " clusters"
	}
	text := fmt.Sprintf("%s of %s machines", clusters, grouped(float64(f.Machines)))
	if f.Large > 0 {
		text += " and one of " + grouped(float64(f.Large))
	}
	return text
}

// unit is a unit for amounts from some size on.
type unit struct {
	size float64
	name string
}

// units returns the units of a measure, largest first.
func units(of string) []unit {
	switch of {
	case "s":
		return []unit{{1, " s"}, {1e-3, " ms"}}
	case "B":
		return []unit{{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}, {1, " B"}}
	default:
		return []unit{{1, ""}}
	}
}

// amounts formats values with three digits, in the unit that suits the greatest.
func amounts(of string, values ...float64) string {
	greatest := 0.0
	for _, value := range values {
		greatest = max(greatest, rounded(value, 3))
	}
	var chosen unit
	for _, chosen = range units(of) {
		if greatest >= chosen.size || greatest == 0 {
			break
		}
	}
	var parts []string
	for _, value := range values {
		parts = append(parts, grouped(rounded(value/chosen.size, 3)))
	}
	return strings.Join(parts, " / ") + chosen.name
}

// ratio formats a ratio: as 1/25 below one, and as 1.3 above.
func ratio(value float64) string {
	if value <= 0 || value >= 1 {
		return grouped(rounded(value, 2))
	}
	if below := rounded(1/value, 2); below > 1 {
		return "1/" + grouped(below)
	}
	return "1"
}

// rounded rounds a value to that many digits.
func rounded(value float64, digits int) float64 {
	text := strconv.FormatFloat(value, 'e', digits-1, 64)
	near, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return value
	}
	return near
}

// grouped formats 1000 as 1,000.
func grouped(value float64) string {
	if value < 1000 || value != math.Trunc(value) {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	return message.NewPrinter(language.English).Sprintf("%.0f", value)
}
