package healthcheck

// turned is a status in the other polarity. It is the same twice.
func (s Status) turned() Status {
	switch s {
	case True:
		return False
	case False:
		return True
	default:
		return s
	}
}

// inSense is a stored condition in the sense of the checks, to which True is healthy; nil if there is none.
func (c ConditionChecks[T]) inSense(stored *Condition) *Condition {
	if stored == nil || !c.Negative {
		return stored
	}
	turned := *stored
	turned.Status = stored.Status.turned()
	return &turned
}

// asStored is the result of a condition as it is to be stored.
func (o *outcome) asStored() Status {
	if o.negative {
		return o.result.Status.turned()
	}
	return o.result.Status
}

// isBad reports whether a condition, as it is stored, says that the object is not healthy.
func (r *Registration[T]) isBad(c Condition) bool {
	for i := range r.Conditions {
		if r.Conditions[i].Type == c.Type && r.Conditions[i].Negative {
			return c.Status == True
		}
	}
	return c.Status == False
}
