package explore

// Plant is a bug that is put into the controllers on purpose, by changing what they work with. The explorer has to find it.
type Plant struct {
	Name string
	// About says in one sentence what is wrong.
	About string
	// Seed is that of a history which shows it, so that the search need not be long; 0 is as good as 1.
	Seed uint64
	// World is the one to look in.
	World *Spec
	// Rules are those that it breaks; one of them has to be found broken.
	Rules []string
	// change is what is wrong.
	change func(*process, parts) parts
}

func (p *Plant) parts(process *process, with parts) parts {
	if p == nil {
		return with
	}
	return p.change(process, with)
}
