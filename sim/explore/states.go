package explore

import (
	"math"
	"math/bits"
)

// stateBits is the number of bits for counting states: enough for some hundred million states.
const stateBits = 1 << 26

// States estimates the number of different states by their hashes: each state sets one of many bits, and few
// states share a bit.
type States struct{ seen []uint64 }

func (s *States) see(hashes []uint64) {
	if s.seen == nil {
		s.seen = make([]uint64, stateBits/64)
	}
	for _, hash := range hashes {
		s.seen[hash%stateBits/64] |= 1 << (hash % 64)
	}
}

func (s *States) merge(other *States) {
	if other.seen == nil {
		return
	}
	s.see(nil)
	for i, word := range other.seen {
		s.seen[i] |= word
	}
}

// Count returns about how many states were seen.
func (s *States) Count() int {
	free := len(s.seen) * 64
	if free == 0 {
		return 0
	}
	for _, word := range s.seen {
		free -= bits.OnesCount64(word)
	}
	return int(math.Round(-stateBits * math.Log(float64(max(1, free))/stateBits)))
}
