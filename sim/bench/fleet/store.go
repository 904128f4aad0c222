package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/util/uuid"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// store is the etcd of the management cluster. It takes Machines ten times as fast as the API server, which does much work
// for each of them, and watches of the API server still see them.
type store struct{ client *clientv3.Client }

func openStore(url string) (*store, error) {
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{url}, DialTimeout: 10 * time.Second, Logger: zap.NewNop()})
	if err != nil {
		return nil, fmt.Errorf("connecting to etcd: %w", err)
	}
	return &store{c}, nil
}

func (s *store) close() error { return s.client.Close() }

// parallel is how many objects are written at once. Each gets its own revision, as all objects of an API server do. With several objects in
// one revision, an API server may return a list that lacks some of them, and a watch from that revision on never reports those.
const parallel = 64

// clone writes copies of an existing machine that differ only in names and UIDs.
func (s *store) clone(ctx context.Context, pattern Machine, machines []Machine) error {
	raw, uid, err := s.read(ctx, pattern)
	if err != nil {
		return err
	}
	var puts errgroup.Group
	puts.SetLimit(parallel)
	for _, m := range machines {
		puts.Go(func() error {
			value := bytes.ReplaceAll(raw, []byte(pattern.Name), []byte(m.Name))
			value = bytes.ReplaceAll(value, []byte(uid), []byte(uuid.NewUUID()))
			if _, err := s.client.Put(ctx, keyOf(m), string(value)); err != nil {
				return fmt.Errorf("writing machine %s as %s is: %w", m, pattern, err)
			}
			return nil
		})
	}
	return puts.Wait()
}

// Stored returns how many bytes the etcd of the management cluster uses.
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

// read returns a machine as it is stored, and its UID.
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
