package signals

import (
	"strings"
	"time"
)

// begins is before the memory in a message.
const begins = "Remembered: "

// String returns the memory in words that Parse reads; empty if there is nothing to remember.
func (m Memory) String() string {
	var parts []string
	if m.Boot != "" {
		parts = append(parts, "boot "+m.Boot+" seen at "+text(m.BootSeen))
	}
	for _, s := range m.Signals {
		times := make([]string, len(s.Onsets))
		for i, at := range s.Onsets {
			times[i] = text(at)
		}
		when := " before"
		if s.Shown {
			when = " now"
		}
		parts = append(parts, s.Key+when+" seen at "+strings.Join(times, ", "))
	}
	if len(parts) == 0 {
		return ""
	}
	return begins + strings.Join(parts, "; ")
}

// Parse reads the memory from the end of a message. One that cannot be read counts as none.
func Parse(message string) (memory Memory, ok bool) {
	i := strings.LastIndex(message, begins)
	if i < 0 {
		return Memory{}, true
	}
	for part := range strings.SplitSeq(message[i+len(begins):], "; ") {
		what, when, found := strings.Cut(part, " seen at ")
		times, all := parseTimes(when)
		words := strings.Split(what, " ")
		switch {
		case !found || !all || len(words) != 2:
			return Memory{}, false
		case words[0] == "boot" && len(times) == 1:
			memory.Boot, memory.BootSeen = words[1], times[0]
		case strings.Contains(words[0], "=") && (words[1] == "now" || words[1] == "before"):
			memory.Signals = append(memory.Signals, Signal{Key: words[0], Shown: words[1] == "now", Onsets: times})
		default:
			return Memory{}, false
		}
	}
	return memory, true
}

func parseTimes(list string) (times []time.Time, all bool) {
	for one := range strings.SplitSeq(list, ", ") {
		at, err := time.Parse(time.RFC3339, one)
		if err != nil {
			return nil, false
		}
		times = append(times, at.UTC())
	}
	return times, true
}

func text(at time.Time) string { return at.UTC().Format(time.RFC3339) }
