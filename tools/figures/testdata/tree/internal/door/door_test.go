package door

var tested = Door{}
