package golden

import (
	"context"
	"testing"
	"time"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Stand is the environment in which the cases run.
type Stand struct {
	// Client reads from the API server without a cache.
	Client client.WithWatch
	// Operator starts an operator for one namespace, and stops it when the test is over.
	Operator func(t testing.TB, namespace string) Operator
}

// Operator can be stopped and started.
type Operator interface {
	Start(t testing.TB)
	Stop(t testing.TB)
}

// Truth is an operator that knows whether a machine really runs. The cases use it if the operator implements it.
type Truth interface {
	Running(key client.ObjectKey) bool
}

const (
	// patience bounds every wait. The real operator needs 15 s for a new host.
	patience = time.Minute
	// quiet is how long a case waits to see that nothing happens, if it cannot tell otherwise.
	quiet = time.Second

	hostName = "host"
)

// Run runs all cases in parallel.
func Run(t *testing.T, s Stand) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.play(newBench(t, s))
		})
	}
}

// bench is the environment of one case.
type bench struct {
	testing.TB
	g        *WithT
	ctx      context.Context
	client   client.WithWatch
	operator Operator
	key      client.ObjectKey
}

func newBench(t *testing.T, s Stand) *bench {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "golden-"}}
	if err := s.Client.Create(t.Context(), namespace); err != nil {
		t.Fatalf("creating a namespace: %v", err)
	}
	return &bench{
		TB: t, g: NewWithT(t), ctx: t.Context(), client: s.Client,
		operator: s.Operator(t, namespace.Name),
		key:      client.ObjectKey{Namespace: namespace.Name, Name: hostName},
	}
}

// create creates a host that is to be on.
func (b *bench) create(externallyProvisioned bool, annotations map[string]string) {
	b.Helper()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.key.Namespace, Name: "bmc"},
		StringData: map[string]string{"username": "user", "password": "password"},
	}
	host := &metal3api.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: b.key.Namespace, Name: b.key.Name, Annotations: annotations},
		Spec: metal3api.BareMetalHostSpec{
			Online:                true,
			ExternallyProvisioned: externallyProvisioned,
			BootMACAddress:        "00:00:5e:00:53:01",
			BMC:                   metal3api.BMCDetails{Address: "ipmi://192.0.2.1", CredentialsName: "bmc"},
		},
	}
	for _, obj := range []client.Object{secret, host} {
		if err := b.client.Create(b.ctx, obj); err != nil {
			b.Fatalf("creating %T: %v", obj, err)
		}
	}
}

// running creates a host and waits until it is on.
func (b *bench) running() {
	b.Helper()
	b.create(true, nil)
	b.turns(true)
}

// off creates a host, waits until it is on, and keeps it off with a key.
func (b *bench) off(key string) {
	b.Helper()
	b.running()
	b.annotate(key, hard)
	b.turns(false)
}

func (b *bench) get() *metal3api.BareMetalHost {
	b.Helper()
	host := &metal3api.BareMetalHost{}
	if err := b.client.Get(b.ctx, b.key, host); err != nil {
		b.Fatalf("reading the host: %v", err)
	}
	return host
}

func (b *bench) has(key string) bool {
	b.Helper()
	_, ok := b.get().Annotations[key]
	return ok
}

func (b *bench) annotate(key, value string) { b.Helper(); b.annotateAll(map[string]string{key: value}) }

// annotateAll sets all annotations in one write.
func (b *bench) annotateAll(annotations map[string]string) {
	b.Helper()
	b.change(func(host *metal3api.BareMetalHost) {
		for key, value := range annotations {
			metav1.SetMetaDataAnnotation(&host.ObjectMeta, key, value)
		}
	})
}

func (b *bench) drop(key string) {
	b.Helper()
	b.change(func(host *metal3api.BareMetalHost) { delete(host.Annotations, key) })
}

func (b *bench) online(on bool) {
	b.Helper()
	b.change(func(host *metal3api.BareMetalHost) { host.Spec.Online = on })
}

func (b *bench) change(change func(*metal3api.BareMetalHost)) {
	b.Helper()
	host := b.get()
	before := host.DeepCopy()
	change(host)
	if err := b.client.Patch(b.ctx, host, client.MergeFrom(before)); err != nil {
		b.Fatalf("changing the host: %v", err)
	}
}

// turns waits until the status says on or off, and checks the machine.
func (b *bench) turns(on bool) {
	b.Helper()
	b.g.Eventually(func() bool { return b.get().Status.PoweredOn }).WithTimeout(patience).WithPolling(20*time.Millisecond).
		Should(Equal(on), "status.poweredOn")
	b.truly(on)
}

// truly checks the machine itself, if the operator knows it.
func (b *bench) truly(on bool) {
	b.Helper()
	if truth, ok := b.operator.(Truth); ok && truth.Running(b.key) != on {
		b.Fatalf("the machine runs: %t, want %t", !on, on)
	}
}

// staysOff makes the operator look at the host twice, and checks that the host is still off.
func (b *bench) staysOff() {
	b.Helper()
	for range 2 {
		b.annotate(plain, "")
		b.g.Eventually(func() bool { return b.has(plain) }).WithTimeout(patience).WithPolling(20*time.Millisecond).
			Should(BeFalse(), "the operator takes the plain annotation from a host that is off")
		if b.get().Status.PoweredOn {
			b.Fatal("the host was switched on")
		}
	}
	b.truly(false)
}

// standing is the part of a host's state that a key could change. The rest of the status is bookkeeping, such as
// conditions and the time of the last write, which may come a moment later.
type standing struct {
	PoweredOn   bool
	State       metal3api.ProvisioningState
	Operational metal3api.OperationalStatus
	Error       metal3api.ErrorType
}

func (b *bench) standing() standing {
	b.Helper()
	s := b.get().Status
	return standing{s.PoweredOn, s.Provisioning.State, s.OperationalStatus, s.ErrorType}
}

// nothingHappens checks that neither status nor machine change for a while.
func (b *bench) nothingHappens(on bool) {
	b.Helper()
	before := b.standing()
	b.g.Consistently(b.standing).WithTimeout(quiet).WithPolling(50*time.Millisecond).Should(Equal(before), "what the host's status says")
	if before.PoweredOn != on {
		b.Fatalf("status.poweredOn is %t, want %t", before.PoweredOn, on)
	}
	b.truly(on)
}
