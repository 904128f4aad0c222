package world

import (
	"bytes"
	"context"
	stdlog "log"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
)

// When its owner is gone, for whatever reason, a watchdog kills what was launched and removes the
// directory.
func TestWatchdog(t *testing.T) {
	for name, orphaned := range map[string]bool{"orphaned": true, "forgotten": false} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.SetDefaultEventuallyTimeout(time.Minute)
			dir := filepath.Join(t.TempDir(), "world")
			g.Expect(os.Mkdir(dir, 0o700)).To(Succeed())
			sleep, err := exec.LookPath("sleep")
			g.Expect(err).NotTo(HaveOccurred())
			path, err := writeLauncher(dir, sleep, 400)
			g.Expect(err).NotTo(HaveOccurred())
			watchdog, err := startWatchdog(dir)
			g.Expect(err).NotTo(HaveOccurred())

			launched := exec.Command(path, "600")
			g.Expect(launched.Start()).To(Succeed())
			g.Eventually(func() (string, error) {
				pid, err := os.ReadFile(path + ".pid")
				return strings.TrimSpace(string(pid)), err
			}).Should(Equal(strconv.Itoa(launched.Process.Pid)))
			if !orphaned {
				g.Expect(forgetLaunched(dir)).To(Succeed())
			}
			g.Expect(watchdog.Close()).To(Succeed())
			g.Expect(dir).NotTo(BeADirectory())
			if !orphaned {
				g.Expect(launched.Process.Signal(syscall.Signal(0))).To(Succeed(), "must live on")
				g.Expect(launched.Process.Kill()).To(Succeed())
			}
			g.Expect(launched.Wait()).To(MatchError("signal: killed"))
		})
	}
}

func TestWorldsDoNotSharePorts(t *testing.T) {
	g := NewWithT(t)
	memory := inmemoryruntime.NewManager(workloadScheme())
	var first portRange
	for low := int32(firstPort); first.Min == 0; low += blockSize {
		g.Expect(low).To(BeNumerically("<", lastPort))
		mux, err := serveOn(memory, portRange{Min: low, Max: low + 1})
		if err != nil {
			continue
		}
		first = portRange{Min: low, Max: low + 1}
		t.Cleanup(func() {
			g.Expect(mux.Shutdown(context.Background())).To(Succeed())
		})
	}
	_, err := serveOn(memory, first)
	g.Expect(err).To(MatchError(ContainSubstring("address already in use")))
}

func TestDiverterKeepsOnlyTheNoise(t *testing.T) {
	g := NewWithT(t)
	var kept, rest bytes.Buffer
	before := process.to
	process.set(&kept)
	t.Cleanup(func() { process.set(before) })
	logger := stdlog.New(&diverter{rest: &rest}, "", stdlog.LstdFlags)
	logger.Print("http: superfluous response.WriteHeader call")
	logger.Print("the program says something")
	g.Expect(kept.String()).To(ContainSubstring("superfluous"))
	g.Expect(rest.String()).To(And(ContainSubstring("says something"), Not(ContainSubstring("superfluous"))))
}

func TestMissingBinaries(t *testing.T) {
	_, err := writeLauncher(t.TempDir(), filepath.Join(t.TempDir(), "etcd"), 400)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("looking for the control plane's binaries")))
}

func TestModuleFile(t *testing.T) {
	g := NewWithT(t)
	file, err := ModuleFile("sigs.k8s.io/cluster-api", "metadata.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(file).To(BeARegularFile())
	_, err = ModuleFile("sigs.k8s.io/cluster-api", "no/such/file")
	g.Expect(err).To(MatchError(os.ErrNotExist))
	_, err = ModuleFile("example.com/no-such-module", "go.mod")
	g.Expect(err).To(HaveOccurred())
}
