// Package cli holds the commands of the binary, one file each. A command turns flags into
// options, refuses bad input in one clear line, and leaves the work to other packages.
package cli
