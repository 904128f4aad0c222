// Package plants has bugs that are planted in the controllers, to show that the explorer finds them.
package plants
