// Package cachelist lists objects of a manager's cache by pointer. A client copies each object's struct into a list, even one whose
// objects share the rest with the cache: for 10,000 Machines that takes longer than deciding about them.
//
// Informers keeps the informers of a cache, and its client offers them to List, which uses any other client as usual. All that it
// returns belongs to the cache.
package cachelist
