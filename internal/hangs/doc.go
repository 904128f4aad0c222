// Package hangs reads what a Machine's own conditions say about its deletion, or about a start without a Node, in the words of those who wrote
// them: Cluster API, its providers, drains. It is pure. Commands, pages, events and metrics all ask here.
package hangs
