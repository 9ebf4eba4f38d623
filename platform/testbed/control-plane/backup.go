package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/snapshot"
	restoring "go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
)

const (
	backupLimit = time.Minute
	etcdName    = "etcd" // of the only member

	// The increase that the documentation of etcd recommends for Kubernetes: more than any cluster writes between a backup and its restore.
	revisionBump = 1_000_000_000
)

// backup saves a snapshot of etcd, as "etcdctl snapshot save" does.
func (p *plane) backup(ctx context.Context, file string) error {
	limited, done := context.WithTimeout(ctx, backupLimit)
	defer done()
	_, err := snapshot.SaveWithVersion(limited, zap.NewNop(), clientv3.Config{Endpoints: []string{p.parts[0].port.url("http")}}, file)
	if err != nil {
		return fmt.Errorf("backup %s: %w", file, err)
	}
	return nil
}

// restore stops all components, replaces the data of etcd by a snapshot, and starts all components, as after a disaster. With a bump it
// restores as "etcdutl snapshot restore --bump-revision 1000000000 --mark-compacted" does.
func (p *plane) restore(ctx context.Context, file string, isBumped bool) error {
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	for i := len(p.parts) - 1; i >= 0; i-- {
		if p.parts[i].process != nil {
			p.parts[i].kill()
		}
	}
	if err := p.replaceData(file, isBumped); err != nil {
		return fmt.Errorf("restore %s: %w", file, err)
	}
	return p.startAll(ctx)
}

// replaceData moves the former data to a folder beside it.
func (p *plane) replaceData(file string, isBumped bool) error {
	data := filepath.Join(p.folder, "etcd")
	replaced := fmt.Sprintf("%s-replaced-%d", data, time.Now().UnixMilli())
	if err := os.Rename(data, replaced); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	peer := p.parts[0].peer.url("http")
	config := restoring.RestoreConfig{
		SnapshotPath: file, Name: etcdName, OutputDataDir: data,
		PeerURLs: []string{peer}, InitialCluster: etcdName + "=" + peer, InitialClusterToken: "restored",
	}
	if isBumped {
		config.RevisionBump, config.MarkCompacted = revisionBump, true
	}
	return restoring.NewV3(zap.NewNop()).Restore(config)
}
