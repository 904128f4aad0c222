package move_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// clusterctl is the path of the real clusterctl.
var clusterctl = flag.String("clusterctl", "", "path of clusterctl, as make test-upgrade gives it")

func TestMain(m *testing.M) {
	flag.Parse()
	if *clusterctl == "" {
		fmt.Fprintln(os.Stdout, "clusterctl move is tried by make test-upgrade.")
		return
	}
	os.Exit(m.Run())
}
