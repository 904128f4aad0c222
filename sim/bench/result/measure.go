package result

import (
	"fmt"
	"strings"
)

// Measure is the name of a measure, which stays the same between runs. Less is better for each. docs/benchmarks.md says what they mean.
type Measure string

// The measures. Beside those with -p99 there are some with -p50 and -max.
const (
	VerdictP99     Measure = "verdict-p99"
	MarkP99        Measure = "mark-p99"
	HandoverP99    Measure = "handover-p99"
	StormVerdict   Measure = "storm-verdict"
	StormMark      Measure = "storm-mark"
	StormFirst     Measure = "storm-first"
	StormWrites    Measure = "storm-writes"
	LoneVerdict    Measure = "lone-verdict"
	LoneMark       Measure = "lone-mark"
	OnsetWrites    Measure = "onset-writes"
	RemedyWrites   Measure = "remedy-writes"
	RemedyRequests Measure = "remedy-requests"
	RemedyEvents   Measure = "remedy-events"
	HeartbeatCPU   Measure = "heartbeat-cpu"
	HeartbeatBytes Measure = "heartbeat-bytes"
	IdleRequests   Measure = "idle-requests"
	IdleWrites     Measure = "idle-writes"
	IdleCPU        Measure = "idle-cpu"
	Memory         Measure = "memory"
	ServerMemory   Measure = "server-memory"
	StoreMemory    Measure = "store-memory"
	StoreBytes     Measure = "store-bytes"
	FirstStart     Measure = "first-start"
	Start          Measure = "start"
	ReadRequests   Measure = "read-requests"
	ReadBytes      Measure = "read-bytes"
	OutageCPU      Measure = "outage-cpu"
	OutageWrites   Measure = "outage-writes"
)

// Hanging returns the numbers of clusters that hang at the same time, one for each measurement. 0 is for comparison.
func Hanging() []int { return []int{0, 1, 3, 8, 50} }

// HangVerdict is the 99th percentile of the detection delay in the other clusters while that many hang.
func HangVerdict(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-verdict", clusters)) }

// HangMark is the same for the mark, before which Sickbay reads the Node live.
func HangMark(clusters int) Measure { return Measure(fmt.Sprintf("hang-%d-mark", clusters)) }

// Requests is the number of requests with one verb, per minute at rest, or per sick machine in a remedy or a storm. A LIST is a GET, and a
// watch in progress does not count.
func Requests(during, verb string) Measure {
	return Measure("requests-" + during + "-" + strings.ToLower(verb))
}

// The units of measures. benchstat knows the first two.
const (
	Seconds = "sec"
	Bytes   = "B"
	Count   = "count"
)

// Unit returns the unit of a measure, which its name tells.
func (m Measure) Unit() string {
	has := func(word string) bool { return strings.Contains(string(m), word) }
	switch {
	case has("memory"), has("bytes"):
		return Bytes
	case has("writes"), has("requests"), has("events"):
		return Count
	default:
		return Seconds
	}
}
