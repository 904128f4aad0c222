// Package mishap lists what can go wrong with one write of a manager to the explorer's model of an API server.
package mishap

// Mishap is a failure of one write.
type Mishap string

// The mishaps of writes.
const (
	// AnswerLost lets the write happen, and Lost does not. The manager gets an error of its connection.
	AnswerLost Mishap = "answer lost at"
	Lost       Mishap = "request lost at"
	// Conflict and Refused reject the write.
	Conflict Mishap = "conflict at"
	Refused  Mishap = "refused at"
	// CrashBefore and CrashAfter end the manager at the write: none of its later requests reaches the API server.
	CrashBefore Mishap = "crash before"
	CrashAfter  Mishap = "crash after"
)

// OfWrites are the mishaps of a write to a model of an API server. Schedules know them by their order.
func OfWrites() []Mishap {
	return []Mishap{AnswerLost, Lost, Conflict, Refused, CrashBefore, CrashAfter}
}

// CarriedOut reports whether the write happens all the same.
func (m Mishap) CarriedOut() bool { return m == AnswerLost || m == CrashAfter }

// Crashes reports whether the manager ends.
func (m Mishap) Crashes() bool { return m == CrashBefore || m == CrashAfter }
