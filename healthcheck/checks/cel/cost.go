package cel

import (
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// ordinary is the assumed size of each list, map and string of an object when Compile
// estimates the cost of an expression.
const ordinary = 10

// ordinarySizes estimates the cost of an expression for an ordinary object. An expression
// that is too expensive even for that is a mistake; evaluation measures the cost for large
// objects.
type ordinarySizes struct{}

// EstimateSize implements checker.CostEstimator.
func (ordinarySizes) EstimateSize(checker.AstNode) *checker.SizeEstimate {
	return &checker.SizeEstimate{Max: ordinary}
}

// EstimateCallCost implements checker.CostEstimator.
func (ordinarySizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// growth adds costs that the library underestimates: functions whose result can be larger
// than their arguments, so that a few of them in a row could fill the memory.
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

// costOfAdding returns the cost of adding two lists. The sum refers to both, and walking it
// can take the square of its size.
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

// sizeOf returns the number of characters or items; one for anything else.
func sizeOf(value ref.Val) uint64 {
	if sizer, ok := value.(traits.Sizer); ok {
		if size, ok := sizer.Size().(types.Int); ok && size > 0 {
			return uint64(size)
		}
	}
	return 1
}
