package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"k8s.io/apimachinery/pkg/util/uuid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// store is the etcd of the management cluster. It takes Machines ten times as fast as the API server, which has much to do
// with each of them, and tells those who watch of them all the same.
type store struct{ client *clientv3.Client }

func openStore(url string) (*store, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, DialTimeout: 10 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("connecting to etcd: %w", err)
	}
	return &store{c}, nil
}

func (s *store) close() error { return s.client.Close() }

// atOnce is how many are written in one transaction. etcd takes 128 at most.
const atOnce = 100

// clone writes machines that are as one is that exists, but for their names and UIDs.
func (s *store) clone(ctx context.Context, pattern Machine, machines []Machine) error {
	raw, uid, err := s.read(ctx, pattern)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(machines, atOnce) {
		var puts []clientv3.Op
		for _, m := range some {
			value := bytes.ReplaceAll(raw, []byte(pattern.Name), []byte(m.Name))
			value = bytes.ReplaceAll(value, []byte(uid), []byte(uuid.NewUUID()))
			puts = append(puts, clientv3.OpPut(keyOf(m), string(value)))
		}
		if _, err := s.client.Txn(ctx).Then(puts...).Commit(); err != nil {
			return fmt.Errorf("writing %d machines as %s is: %w", len(some), pattern, err)
		}
	}
	return nil
}

// Stored returns how many bytes the etcd of the management cluster has in use.
func (f *Fleet) Stored(ctx context.Context) (bytes int64, err error) {
	s, err := openStore(f.World.Etcd())
	if err != nil {
		return 0, err
	}
	defer func() { _ = s.close() }()
	status, err := s.client.Status(ctx, f.World.Etcd())
	if err != nil {
		return 0, fmt.Errorf("asking etcd for its size: %w", err)
	}
	return status.DbSizeInUse, nil
}

// read returns what is stored of a machine, and its UID.
func (s *store) read(ctx context.Context, m Machine) (raw []byte, uid string, err error) {
	answer, err := s.client.Get(ctx, keyOf(m))
	if err != nil {
		return nil, "", fmt.Errorf("reading machine %s: %w", m, err)
	}
	if len(answer.Kvs) != 1 {
		return nil, "", fmt.Errorf("reading machine %s: there are %d", m, len(answer.Kvs))
	}
	raw = answer.Kvs[0].Value
	var machine clusterv1.Machine
	if err := json.Unmarshal(raw, &machine); err != nil {
		return nil, "", fmt.Errorf("reading machine %s: %w", m, err)
	}
	return raw, string(machine.UID), nil
}

func keyOf(m Machine) string {
	return path.Join("/registry", clusterv1.GroupVersion.Group, "machines", m.Namespace, m.Name)
}
