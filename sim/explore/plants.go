package explore

import "fmt"

// Plants are all bugs that can be planted.
var Plants = []*Plant{}

// PlantNamed returns a plant; nil for no name.
func PlantNamed(name string) (*Plant, error) {
	if name == "" {
		return nil, nil
	}
	for _, plant := range Plants {
		if plant.Name == name {
			return plant, nil
		}
	}
	return nil, fmt.Errorf("there is no planted bug %q", name)
}
