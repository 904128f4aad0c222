package cel

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// ordinary is how large each list, map, and string of an object is thought to be when
// the cost of an expression is estimated before there is an object.
const ordinary = 10

// ordinarySizes estimates what an expression costs for an ordinary object. What is too
// expensive even for that one is a mistake; what a large object costs is seen when it
// is there.
type ordinarySizes struct{}

// EstimateSize implements checker.CostEstimator.
func (ordinarySizes) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Max: ordinary}
}

// EstimateCallCost implements checker.CostEstimator.
func (ordinarySizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// growth adds what the library counts too low: functions whose result can be larger
// than what they are given, so that some of them in a row could fill the memory.
type growth struct{}

// CallCost implements interpreter.ActualCostEstimator.
func (growth) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	switch function {
	case "format", "strings.quote", "base64.encode", "base64.decode":
		cost := 1 + sizeOf(args[0]) + sizeOf(result)
		return &cost
	case operators.Add:
		return costOfAdding(args[0], result)
	}
	return nil
}

// costOfAdding is for two lists. Their sum refers to both, and to walk it can take
// the square of its size.
func costOfAdding(to, sum ref.Val) *uint64 {
	if _, ok := sum.(traits.Lister); !ok {
		return nil
	}
	// The macros collect their results in such a list, which is never copied.
	if _, ok := to.(traits.MutableLister); ok {
		return nil
	}
	size := sizeOf(sum)
	cost := 1 + size*size/10
	return &cost
}

// sizeOf is the number of characters or items; one for anything else.
func sizeOf(value ref.Val) uint64 {
	if sizer, ok := value.(traits.Sizer); ok {
		if size, ok := sizer.Size().(types.Int); ok && size > 0 {
			return uint64(size)
		}
	}
	return 1
}
