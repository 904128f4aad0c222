package healthcheck

import "cmp"

// Compare orders statuses for merging, the worst first: it is negative if s is worse than
// other, and 0 if they are alike. What is none of the closed set counts as Unknown.
func (s Status) Compare(other Status) int {
	return cmp.Compare(s.known().severity(), other.known().severity())
}

func (s Status) known() Status {
	if s.Valid() {
		return s
	}
	return Unknown
}
