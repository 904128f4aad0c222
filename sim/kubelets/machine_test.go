package kubelets_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/sickbay-dev/sickbay/sim/process"
)

const (
	containerdConfig = `version = 2
root = "%[1]s/images"
state = "%[1]s/state"
[grpc]
address = "%[1]s/containerd.sock"
[plugins."io.containerd.internal.v1.opt"]
path = "%[1]s/opt"
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "%[1]s"
conf_dir = "%[1]s/net.d"
`
	// network makes containerd say that there is one. No Pod runs, so its plugin need not be there.
	network = `{"cniVersion": "1.0.0", "name": "none", "plugins": [{"type": "bridge", "ipam": {"type": "host-local", "subnet": "192.0.2.0/24"}}]}`

	// kubeletConfig lets a kubelet share its host with others, and have a host with cgroup v1 and swap. JSON has its times readable, for clockOffset.
	kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
containerRuntimeEndpoint: unix://%[1]s/containerd.sock
providerID: %[2]s
podLogsDir: %[1]s/logs
contentType: application/json
nodeLeaseDurationSeconds: 8
nodeStatusUpdateFrequency: 2s
nodeStatusReportFrequency: 5m
evictionHard: {nodefs.available: "%[3]d"}
imageGCHighThresholdPercent: 100
enableServer: false
healthzPort: 0
makeIPTablesUtilChains: false
failCgroupV1: false
failSwapOn: false
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
`

	// smallDiskRoot is a file system that hardly anybody else writes to, and that containers have, too, with 64 MiB. smallDisk is how much may be
	// written to a small disk there, at most, until its kubelet reports DiskPressure.
	smallDiskRoot = "/dev/shm"
	smallDisk     = 64 << 20
	// anyDisk is what must be left of any other disk.
	anyDisk = 1 << 20
)

// machine is a machine that runs.
type machine struct {
	kit
	name, programs string
	// dir has all its files but those on its disk, which is the root directory of its kubelet.
	dir, disk string
	// room is how much may be written to the disk.
	room uint64

	mu sync.Mutex
	// runtime is containerd; a hollow node has none.
	runtime, kubelet *process.Process
	ended            bool
}

// newMachine prepares a machine.
func newMachine(name string, k kit, p *provider, without flaw) (*machine, error) {
	m := &machine{kit: k, name: name, programs: p.programs, dir: filepath.Join(p.dir, name)}
	m.disk = filepath.Join(m.dir, "disk")
	if k.SmallDisk {
		m.disk = filepath.Join(smallDiskRoot, filepath.Base(p.dir), name)
	}
	for _, dir := range []string{m.disk, filepath.Join(m.dir, "net.d"), filepath.Join(m.dir, "tmp")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	access, err := p.plane.accessFor(k, without == noAPIServer)
	if err != nil {
		return nil, err
	}
	reserve := uint64(anyDisk)
	if k.SmallDisk {
		var fs syscall.Statfs_t
		if err := syscall.Statfs(m.disk, &fs); err != nil {
			return nil, fmt.Errorf("reading how full the disk is: %w", err)
		}
		free := fs.Bavail * uint64(fs.Bsize) //nolint:gosec // A block has a size.
		m.room = min(free/4, smallDisk)
		reserve = free - m.room
	}
	for file, content := range map[string]string{
		"containerd.toml": fmt.Sprintf(containerdConfig, m.dir),
		"kubeconfig":      string(access),
		"kubelet.yaml":    fmt.Sprintf(kubeletConfig, m.dir, m.providerID(), reserve),
	} {
		if err := os.WriteFile(filepath.Join(m.dir, file), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	if without == noNetwork {
		return m, nil
	}
	return m, m.connect()
}

// connect gives the machine a network.
func (m *machine) connect() error {
	return os.WriteFile(m.file("net.d/net.conflist"), []byte(network), 0o600)
}

// providerID is what the kubelet writes into its Node. kubemark's cannot be chosen.
func (m *machine) providerID() string {
	if m.Hollow {
		return "kubemark://" + m.name
	}
	return "process://" + m.name
}

// revive starts what does not run, except a container runtime that has ended. A kubelet that comes too early for its runtime ends by itself.
func (m *machine) revive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var err error
	switch {
	case m.ended || m.kubelet != nil && !exited(m.kubelet):
	case m.Hollow:
		m.kubelet, err = m.start(filepath.Join(m.programs, "kubemark"), "--morph=kubelet", "--name="+m.name, "--kubeconfig="+m.file("kubeconfig"),
			"--use-host-image-service=false", "--kubelet-port=0", "--kubelet-read-only-port=0")
	case m.runtime == nil:
		m.runtime, err = m.start("containerd", "--config="+m.file("containerd.toml"))
	case m.listens():
		m.kubelet, err = m.start(filepath.Join(m.programs, "kubelet"), "--config="+m.file("kubelet.yaml"), "--kubeconfig="+m.file("kubeconfig"),
			"--root-dir="+m.disk, "--cert-dir="+m.file("pki"), "--hostname-override="+m.name)
	}
	return err
}

func (m *machine) start(program string, args ...string) (*process.Process, error) {
	name := filepath.Base(program)
	log, err := os.OpenFile(m.file(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the process has its own
	command := exec.Command(program, args...)
	command.Env = append(os.Environ(), "TMPDIR="+m.file("tmp"))
	return process.Launch(command, name, log)
}

func (m *machine) file(name string) string { return filepath.Join(m.dir, name) }

// listens reports whether the container runtime takes connections.
func (m *machine) listens() bool {
	conn, err := net.DialTimeout("unix", m.file("containerd.sock"), time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

func exited(p *process.Process) bool {
	select {
	case <-p.Exited():
		return true
	default:
		return false
	}
}

// signal sends a signal to the kubelet.
func (m *machine) signal(signal syscall.Signal) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return syscall.Kill(m.kubelet.PID(), signal)
}

// killRuntime kills the container runtime, which stays dead.
func (m *machine) killRuntime() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.runtime.Kill()
}

// fill writes more to a small disk than there is room for.
func (m *machine) fill() error {
	return os.WriteFile(filepath.Join(m.disk, "full"), make([]byte, 2*m.room), 0o600)
}

// end ends the machine as a power cut does, and removes its disk. Its logs stay until the tests have passed.
func (m *machine) end() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	for _, p := range []*process.Process{m.kubelet, m.runtime} {
		if p != nil {
			_ = p.Kill() // one that has ended already is fine
		}
	}
	// The kubelet has mounted its root directory onto itself.
	if err := syscall.Unmount(m.disk, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return os.RemoveAll(m.disk)
}
