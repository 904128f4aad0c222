// Package cli holds the commands of the binary, one file each. A command turns
// flags into options, refuses bad ones in one clear line, and leaves the rest to
// the packages that do the work.
package cli
