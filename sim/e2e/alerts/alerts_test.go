package alerts_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/sim/e2e"
	"github.com/sickbay-dev/sickbay/sim/prometheus"
)

const (
	rulesFile = "../../../charts/sickbay/files/prometheus/alerts.yaml"
	// silence is how long no alert must fire before anything is wrong.
	silence = 4 * time.Second
	// stopped is how long Sickbay is frozen to make it late; the target is ten seconds.
	stopped = 13 * time.Second
)

// TestAlerts: while all is well, no alert fires. Then everything goes wrong at once that there are alerts for, and each alert fires
// for its object. In the end, Sickbay itself freezes, and then is gone.
func TestAlerts(t *testing.T) {
	g := NewWithT(t)
	c := newManagementCluster(t)
	p := c.observed(t)
	t.Run("silence", func(t *testing.T) {
		g := patiently(t)
		g.Eventually(func() ([]prometheus.Series, error) { return p.Query(t.Context(), "sickbay_build_info") }).ShouldNot(BeEmpty())
		// A Sickbay that has just started has not read any cluster yet, so the first seconds do not count.
		g.Eventually(func() ([]string, error) { return firing(t.Context(), p) }).WithTimeout(e2e.Patience).Should(BeEmpty())
		g.Consistently(func() ([]string, error) { return firing(t.Context(), p) }, silence).Should(BeEmpty())
	})
	c.startOthers(t)
	fired := map[string]bool{}
	t.Run("troubles", func(t *testing.T) {
		for _, trouble := range troubles() {
			fired[trouble.alert] = true
			t.Run(trouble.alert, func(t *testing.T) {
				t.Parallel()
				trouble.cause(c.in(t))
				awaits(t, p, trouble.alert, trouble.labels)
			})
		}
	})
	c.in(t).stopsKubelet(c.pool("blue", "replaced")[0])
	t.Run("dashboards", func(t *testing.T) { dashboardsFind(t, p) })
	t.Run("SickbayDetectionLate", func(t *testing.T) {
		fired["SickbayDetectionLate"] = true
		c.in(t).stallsWhileSomethingBreaks()
		awaits(t, p, "SickbayDetectionLate", nil)
	})
	t.Run("SickbayManagerGone", func(t *testing.T) {
		fired["SickbayManagerGone"] = true
		c.Expect(c.sickbays[poor].Kill()).To(Succeed())
		awaits(t, p, "SickbayManagerGone", map[string]string{"watch_namespace": poor})
	})
	t.Run("SickbayDown", func(t *testing.T) {
		fired["SickbayDown"] = true
		c.killAll(t)
		awaits(t, p, "SickbayDown", nil)
	})
	g.Expect(slices.Sorted(maps.Keys(fired))).To(Equal(alertNames(t)), "every alert was tried")
}

// observed starts Prometheus with the shortened rules.
func (c *managementCluster) observed(t *testing.T) *prometheus.Process {
	t.Helper()
	g := NewWithT(t)
	rules, err := os.ReadFile(rulesFile)
	g.Expect(err).NotTo(HaveOccurred())
	log := &e2e.Log{}
	ctx, cancel := context.WithTimeout(t.Context(), e2e.Patience)
	defer cancel()
	p, err := prometheus.Start(ctx, prometheus.Options{
		Binary: filepath.Join(*binaries, "prometheus"), Dir: t.TempDir(), Rules: prometheus.Shorten(rules),
		Targets: slices.Sorted(maps.Values(c.addresses)), Token: c.token, Log: log,
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() {
		NewWithT(t).Expect(p.Stop()).To(Succeed())
		if t.Failed() {
			t.Logf("Prometheus's log:\n%s", log)
		}
	})
	return p
}

func patiently(t *testing.T) *WithT {
	t.Helper()
	g := NewWithT(t)
	g.SetDefaultEventuallyTimeout(e2e.Patience)
	g.SetDefaultEventuallyPollingInterval(250 * time.Millisecond)
	return g
}

// firing returns the alerts that fire, with their objects.
func firing(ctx context.Context, p *prometheus.Process) ([]string, error) {
	alerts, err := p.Firing(ctx)
	var texts []string
	for _, a := range alerts {
		texts = append(texts, fmt.Sprint(a.Labels))
	}
	return texts, err
}

// awaits waits for an alert with these labels, and checks that its texts have no gaps.
func awaits(t *testing.T, p *prometheus.Process, name string, labels map[string]string) {
	t.Helper()
	began := time.Now()
	g := patiently(t)
	var found prometheus.Alert
	g.Eventually(func(g Gomega) {
		alerts, err := p.Firing(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		i := slices.IndexFunc(alerts, func(a prometheus.Alert) bool { return a.Name() == name && has(a.Labels, labels) })
		g.Expect(i).To(BeNumerically(">=", 0), "%s does not fire with %v", name, labels)
		found = alerts[i]
	}).Should(Succeed())
	t.Logf("after %s: %s", time.Since(began).Round(time.Second), found.Annotations["description"])
	for _, text := range found.Annotations {
		g.Expect(text).NotTo(Or(ContainSubstring("<no value>"), ContainSubstring("error"), ContainSubstring("()")), name)
	}
}

func has(all, some map[string]string) bool {
	for name, value := range some {
		if all[name] != value {
			return false
		}
	}
	return true
}

// alertNames returns the names in the file of rules.
func alertNames(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(rulesFile)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert string `json:"alert"`
			} `json:"rules"`
		} `json:"groups"`
	}
	NewWithT(t).Expect(yaml.Unmarshal(data, &file)).To(Succeed())
	var names []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			names = append(names, rule.Alert)
		}
	}
	slices.Sort(names)
	return names
}

// stallsWhileSomethingBreaks stops the process while a deadline passes, as a machine without time for it would.
func (c *managementCluster) stallsWhileSomethingBreaks() {
	c.Helper()
	pid := c.sickbays["main"].PID()
	c.Expect(syscall.Kill(pid, syscall.SIGSTOP)).To(Succeed())
	c.stopsKubelet(c.pool("blue", "late")[0])
	select {
	case <-time.After(stopped):
	case <-c.Context().Done():
	}
	c.Expect(syscall.Kill(pid, syscall.SIGCONT)).To(Succeed())
}

// killAll ends every Sickbay.
func (c *managementCluster) killAll(t *testing.T) {
	t.Helper()
	for name, s := range c.sickbays {
		if err := s.Kill(); err != nil && !strings.Contains(err.Error(), "finished") {
			t.Errorf("killing %s: %v", name, err)
		}
	}
}
