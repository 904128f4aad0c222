package fairqueue

// turns is a queue of groups, each of which is a queue. Once served, a group goes to the end.
type turns[T comparable] struct {
	waiting map[string][]T
	// order has the groups that have requests waiting, the next one first.
	order []string
	count int
}

func (t *turns[T]) push(item T, group string) {
	if t.waiting == nil {
		t.waiting = map[string][]T{}
	}
	if len(t.waiting[group]) == 0 {
		t.order = append(t.order, group)
	}
	t.waiting[group] = append(t.waiting[group], item)
	t.count++
}

// pop is never called when nothing is waiting.
func (t *turns[T]) pop() T {
	group := t.order[0]
	t.order = t.order[1:]
	items := t.waiting[group]
	item := items[0]
	if len(items) == 1 {
		delete(t.waiting, group)
	} else {
		t.waiting[group] = items[1:]
		t.order = append(t.order, group)
	}
	t.count--
	return item
}
