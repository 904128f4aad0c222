package healthcheck

// turned returns the status in the opposite polarity. Turning it twice gives the same status.
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

// inSense returns a stored condition in the checks' polarity, where True is healthy; nil if there is none.
func (c ConditionChecks[T]) inSense(stored *Condition) *Condition {
	if stored == nil || !c.Negative {
		return stored
	}
	turned := *stored
	turned.Status = stored.Status.turned()
	return &turned
}

// asStored returns the status in the polarity of the stored condition.
func (o *outcome) asStored() Status {
	if o.negative {
		return o.result.Status.turned()
	}
	return o.result.Status
}

// isBad reports whether a stored condition says that the object is not healthy.
func (r *Registration[T]) isBad(c Condition) bool {
	for i := range r.Conditions {
		if r.Conditions[i].Type == c.Type && r.Conditions[i].Negative {
			return c.Status == True
		}
	}
	return c.Status == False
}
