package lib

type Hinge struct{}

const Left, Right = 1, 2

func (Hinge) Turn() {}
