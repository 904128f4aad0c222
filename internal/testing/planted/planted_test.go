package planted

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// planted returns a value that must not appear in any output. It names its place.
func planted(where string) string { return "s3cr3t-" + where + "-0123456789" }

// places are the places with a planted value.
var places = []string{
	"token", "clientkey", "password", "proxy", "garbage", "badproxy", "file", "ca", "failure", "bmc", "hosterror", "annotation", "applied", "nodeannotation", "variable", "bootstrap",
}

// forms returns the ways in which a value may be written: plain, in base64 at each offset, and in hexadecimal.
func forms(value string) []string {
	all := []string{value, hex.EncodeToString([]byte(value))}
	for skip := range 3 {
		// Leave out what depends on the neighboring bytes.
		encoded := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + value))
		all = append(all, encoded[4:len(encoded)-4])
	}
	return all
}

// leaks returns the places whose values are in a text.
func leaks(text string) (found []string) {
	for _, place := range places {
		for _, form := range forms(planted(place)) {
			if i := strings.Index(text, form); i >= 0 {
				found = append(found, fmt.Sprintf("%s: ...%s...", place, text[max(0, i-200):min(len(text), i+len(form)+80)]))
				break
			}
		}
	}
	return found
}

// TestLeaks: the search finds leaks.
func TestLeaks(t *testing.T) {
	for _, text := range []string{
		"x" + planted("bmc") + "x", base64.StdEncoding.EncodeToString([]byte("a: " + planted("token") + "\n")), hex.EncodeToString([]byte("ab" + planted("ca"))),
	} {
		if len(leaks(text)) != 1 {
			t.Errorf("in %s it finds %v", text, leaks(text))
		}
	}
}

// tattler is a workload cluster's API server that repeats what it receives.
type tattler struct {
	*httptest.Server
	mu       sync.Mutex
	received strings.Builder
}

func newTattler(t *testing.T) *tattler {
	t.Helper()
	s := &tattler{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		fmt.Fprintf(&s.received, "%v\n", r.Header)
		http.Error(w, fmt.Sprintf("I do not like %s from https://%s@host/", r.Header.Get("Authorization"), "admin:"+planted("password")), http.StatusInternalServerError)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *tattler) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.received.String()
}

// kubeconfigOf returns a kubeconfig with a server and a user.
func kubeconfigOf(cluster, user string) []byte {
	return fmt.Appendf(nil, "{apiVersion: v1, kind: Config, current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}], "+
		"clusters: [{name: c, cluster: {insecure-skip-tls-verify: true, %s}}], users: [{name: u, user: {%s}}]}", cluster, user)
}

// plant stores a fleet with planted values.
func plant(t *testing.T, e *env.Env, ns string, tattles, file string) {
	t.Helper()
	server := fmt.Sprintf("server: %q", tattles)
	nowhere := "https://admin:" + planted("password") + "@127.0.0.1:1"
	kubeconfigs := map[string][]byte{
		"blue":   kubeconfigOf(server, "token: "+planted("token")+", client-key-data: "+base64.StdEncoding.EncodeToString([]byte(planted("clientkey")))),
		"green":  kubeconfigOf(server, "token: "+planted("token")),
		"red":    kubeconfigOf(fmt.Sprintf("server: %q", nowhere), "token: "+planted("token")),
		"yellow": kubeconfigOf(fmt.Sprintf(`server: "https://10.9.8.7:6443", proxy-url: "http://admin:%s@127.0.0.1:1"`, planted("proxy")), "token: "+planted("token")),
		"white":  kubeconfigOf(fmt.Sprintf(`server: "https://10.9.8.7:6443", proxy-url: "http://admin:%s@127.0.0.1:%%zz"`, planted("badproxy")), "token: t"),
		"gray":   []byte(planted("garbage")),
		"black":  kubeconfigOf(server, fmt.Sprintf("tokenFile: %q", file)),
	}
	for name, kubeconfig := range kubeconfigs {
		secret := func(suffix, key string, data []byte) client.Object {
			return &corev1.Secret{
				ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name + suffix, Labels: map[string]string{clusterv1.ClusterNameLabel: name}},
				Data:       map[string][]byte{key: data},
			}
		}
		set := build.MachineSet(ns, name, build.InCluster(name))
		build.Create(t.Context(), t, e.Client, set)
		build.Create(t.Context(), t, e.Client, secret("-kubeconfig", "value", kubeconfig), secret("-ca", "tls.key", []byte(planted("ca"))),
			secret("-bootstrap", "value", []byte(planted("bootstrap"))), clusterWithSecret(ns, name), sickMachine(ns, name, set), host(ns, name),
			build.MachineHealthCheck(ns, name, build.InCluster(name), build.Selector(map[string]string{clusterv1.ClusterNameLabel: name}),
				build.Annotation("sickbay.dev/host-error-timeout", "1s"), build.Annotation("example.com/note", planted("annotation"))))
		setHostStatus(t, e, ns, name)
	}
}

// clusterWithSecret returns a Cluster with secrets in its variables and annotations.
func clusterWithSecret(ns, name string) client.Object {
	return build.Cluster(ns, name, build.Annotation(corev1.LastAppliedConfigAnnotation, `{"password":"`+planted("applied")+`"}`),
		build.ClusterFunc(func(c *clusterv1.Cluster) {
			c.Spec.Topology = clusterv1.Topology{ClassRef: clusterv1.ClusterClassRef{Name: "class"}, Version: "v1.36.0"}
			variable := clusterv1.ClusterVariable{Name: "password"}
			variable.Value.Raw = []byte(`"` + planted("variable") + `"`)
			c.Spec.Topology.Variables = []clusterv1.ClusterVariable{variable}
		}))
}

// sickMachine returns a failed Machine, whose provider reports a password.
//
//nolint:staticcheck // Providers say so nowhere else than in deprecated fields.
func sickMachine(ns, name string, set *clusterv1.MachineSet) client.Object {
	return build.Machine(ns, name, build.InCluster(name), build.OwnedBy(set), build.NodeRef(name), build.Annotation("example.com/note", planted("annotation")),
		build.MachineFunc(func(m *clusterv1.Machine) {
			said := "cannot reach redfish+https://admin:" + planted("failure") + "@bmc.example.com/redfish/v1"
			m.Status.Deprecated = &clusterv1.MachineDeprecatedStatus{V1Beta1: &clusterv1.MachineV1Beta1DeprecatedStatus{FailureMessage: &said}}
		}))
}

// host returns the BareMetalHost of a machine.
func host(ns, name string) client.Object {
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{
		"online": true, "bmc": map[string]any{"address": "redfish+https://admin:" + planted("bmc") + "@bmc.example.com/redfish/v1", "credentialsName": "bmc"},
		"consumerRef": map[string]any{"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta2", "kind": "DevMachine", "name": name, "namespace": ns},
	}}}
	u.SetGroupVersionKind(reboot.HostKind)
	u.SetNamespace(ns)
	u.SetName("host-" + name)
	u.SetAnnotations(map[string]string{"example.com/note": planted("annotation")})
	return u
}

func setHostStatus(t *testing.T, e *env.Env, ns, name string) {
	t.Helper()
	u := host(ns, name).(*unstructured.Unstructured)
	if err := e.Client.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
		t.Fatal(err)
	}
	u.Object["status"] = map[string]any{
		"operationalStatus": "error", "errorType": "power management error", "poweredOn": true, "hardwareProfile": "", "errorCount": int64(3),
		"errorMessage": "cannot reach redfish+https://admin:" + planted("hosterror") + "@bmc.example.com/redfish/v1",
	}
	if err := e.Client.Status().Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

// output is the output of a process.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
