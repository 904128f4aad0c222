package result

import "slices"

// Measure is the name of a measure, which stays the same between runs.
type Measure string

// The measures, which about describes. Less is better for each.
const (
	VerdictP50     Measure = "verdict-p50"
	VerdictP99     Measure = "verdict-p99"
	VerdictMax     Measure = "verdict-max"
	MarkP50        Measure = "mark-p50"
	MarkP99        Measure = "mark-p99"
	MarkMax        Measure = "mark-max"
	HandoverP50    Measure = "handover-p50"
	HandoverP99    Measure = "handover-p99"
	HandoverMax    Measure = "handover-max"
	StormVerdict   Measure = "storm-verdict"
	StormMark      Measure = "storm-mark"
	StormFirst     Measure = "storm-first"
	LoneVerdict    Measure = "lone-verdict"
	LoneMark       Measure = "lone-mark"
	StormWrites    Measure = "storm-writes"
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
	Failover       Measure = "failover"
	ReadRequests   Measure = "read-requests"
	ReadBytes      Measure = "read-bytes"
	OutageCPU      Measure = "outage-cpu"
	OutageWrites   Measure = "outage-writes"
)

// Info describes a measure.
type Info struct {
	// Title is a few words, and Means is one sentence.
	Title, Means string
	// Unit is "s", "B" or "1" for a plain number.
	Unit string
}

// About is a measure with its description.
type About struct {
	Measure
	Info
}

// All returns the descriptions of all measures, in display order.
func All() []About { return slices.Concat(about(), aboutHanging()) }

// Describe returns the description of a measure, and whether the measure is known.
func Describe(m Measure) (Info, bool) {
	for _, about := range slices.Concat(All(), aboutRequests()) {
		if about.Measure == m {
			return about.Info, true
		}
	}
	return Info{}, false
}

func about() []About {
	return []About{
		{VerdictP50, Info{"Verdict, p50", "From the deadline of a machine that falls sick alone to its stored verdict.", "s"}},
		{VerdictP99, Info{"Verdict, p99", "The same, 99 of 100.", "s"}},
		{VerdictMax, Info{"Verdict, max", "The same, the slowest.", "s"}},
		{MarkP50, Info{"Mark, p50", "From the deadline to the mark for the owner.", "s"}},
		{MarkP99, Info{"Mark, p99", "The same, 99 of 100.", "s"}},
		{MarkMax, Info{"Mark, max", "The same, the slowest.", "s"}},
		{HandoverP50, Info{"Verdict to mark, p50", "From the stored verdict of a machine that falls sick alone to the mark for its owner.", "s"}},
		{HandoverP99, Info{"Verdict to mark, p99", "The same, 99 of 100.", "s"}},
		{HandoverMax, Info{"Verdict to mark, max", "The same, the slowest.", "s"}},
		{StormVerdict, Info{"Storm, last verdict", "A tenth of the fleet falls sick at once: from the deadline to the last verdict.", "s"}},
		{StormMark, Info{"Storm, last mark", "The same to the last mark for the owner.", "s"}},
		{StormFirst, Info{"Storm, first marks", "From the deadline to the 99th of the first 100 marks.", "s"}},
		{LoneVerdict, Info{"Beside a storm, verdict", "The slowest verdict on machines of other clusters whose deadlines come in the first three seconds of a storm, from their deadlines.", "s"}},
		{LoneMark, Info{"Beside a storm, mark", "The same to the mark for the owner.", "s"}},
		{StormWrites, Info{"Storm, writes", "Write requests for each sick machine of the storm, without events.", "1"}},
		{OnsetWrites, Info{"Onset, writes", "Write requests for a machine that falls sick alone, before its deadline, without events.", "1"}},
		{RemedyWrites, Info{"Remedy, writes", "The same after its deadline.", "1"}},
		{RemedyRequests, Info{"Remedy, requests", "All requests after its deadline, those that read and events included.", "1"}},
		{RemedyEvents, Info{"Remedy, events", "Events that are written for a machine that falls sick alone.", "1"}},
		{HeartbeatCPU, Info{"Heartbeats, CPU", "Processor time of the process for 1,000 heartbeats of Nodes, all of them healthy, beyond that at rest.", "s"}},
		{HeartbeatBytes, Info{"Heartbeats, memory", "What is allocated for 1,000 heartbeats.", "B"}},
		{IdleRequests, Info{"Rest, requests", "Requests in a minute while Nodes beat and nobody is sick; watches do not count.", "1"}},
		{IdleWrites, Info{"Rest, writes", "Those of them that write.", "1"}},
		{IdleCPU, Info{"Rest, CPU", "Processor time in a minute in which Nodes do not even beat.", "s"}},
		{Memory, Info{"Memory", "Resident set for 1,000 machines with their Nodes.", "B"}},
		{ServerMemory, Info{"Memory, API server", "Resident set of the API server of the management cluster then; Nodes of a single or large cluster are on it, too.", "B"}},
		{StoreMemory, Info{"Memory, etcd", "Resident set of its etcd.", "B"}},
		{StoreBytes, Info{"Stored", "What its etcd has in use, old versions included.", "B"}},
		{FirstStart, Info{"First start", "From the start of the process to the last verdict on all machines, of which none had one.", "s"}},
		{Start, Info{"Start", "From the start of the process to the last verdict that had to be changed: one machine in a hundred fell sick meanwhile.", "s"}},
		{Failover, Info{"Fail-over", "From the end of the leader to the first verdict of its standby.", "s"}},
		{ReadRequests, Info{"Start, requests", "Requests to the API server of the management cluster from the start of the process until it has nothing more to do: ten machines fell sick meanwhile. The floor lists once, in pages of 500, what Sickbay watches.", "1"}},
		{ReadBytes, Info{"Start, bytes read", "The bytes of the answers, uncompressed.", "B"}},
		{OutageCPU, Info{"Outage, CPU", "Processor time in a minute in which the largest cluster hangs, and all its machines are Unknown already.", "s"}},
		{OutageWrites, Info{"Outage, writes", "Write requests and events in that minute.", "1"}},
	}
}
