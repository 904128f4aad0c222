// Command sick calls what the database of the tests says is a hole.
package main

import "golang.org/x/mod/semver"

func main() { println(semver.Compare("v1", "v2")) }
