// Package plants has the bugs that are put into the controllers on purpose, so that the explorer shows that it finds them.
package plants
