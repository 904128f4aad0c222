// Package app is the manager as a value: Options in, an App out, Run until the
// context ends. The command line, the tests, the demo and the benchmarks all start
// the same thing.
package app
