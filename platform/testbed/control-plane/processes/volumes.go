//go:build linux

package processes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	core "k8s.io/api/core/v1"
	storage "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
)

const (
	// StorageClass is the default class, whose volumes are folders.
	StorageClass  = "folder"
	provisioner   = "testbed.claimstream.dev/folder"
	provisionedBy = "pv.kubernetes.io/provisioned-by"
	lookAgain     = 250 * time.Millisecond
)

// Volumes makes a folder for each claim of the class folder, and deletes it after the claim. All nodes are on one machine, so that each finds the folder.
type Volumes struct {
	client  kubernetes.Interface
	claims  listers.PersistentVolumeClaimLister
	volumes listers.PersistentVolumeLister
	folder  string
}

// StartVolumes creates the class and works until the context ends.
func StartVolumes(ctx context.Context, client kubernetes.Interface, folder string) error {
	class := &storage.StorageClass{
		ObjectMeta:  meta.ObjectMeta{Name: StorageClass, Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
		Provisioner: provisioner,
	}
	if _, err := client.StorageV1().StorageClasses().Create(ctx, class, meta.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	made := &Volumes{client: client, claims: factory.Core().V1().PersistentVolumeClaims().Lister(), volumes: factory.Core().V1().PersistentVolumes().Lister(), folder: folder}
	factory.StartWithContext(ctx)
	factory.WaitForCacheSyncWithContext(ctx)
	go made.follow(ctx)
	return nil
}

// follow polls the claims: there are few, and the next poll retries after an error.
func (v *Volumes) follow(ctx context.Context) {
	ticks := time.NewTicker(lookAgain)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		v.provision(ctx)
		v.remove(ctx)
	}
}

func (v *Volumes) provision(ctx context.Context) {
	claims, err := v.claims.List(labels.Everything())
	if err != nil {
		return
	}
	for _, each := range claims {
		isOurs := each.Spec.StorageClassName != nil && *each.Spec.StorageClassName == StorageClass
		if isOurs && each.Spec.VolumeName == "" && each.DeletionTimestamp == nil {
			v.create(ctx, each)
		}
	}
}

// create is retried at the next poll if it fails.
func (v *Volumes) create(ctx context.Context, claim *core.PersistentVolumeClaim) {
	name := fmt.Sprintf("pvc-%s", claim.UID)
	if _, err := v.volumes.Get(name); err == nil {
		return
	}
	folder := filepath.Join(v.folder, name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return
	}
	if err := os.Chmod(folder, 0o777); err != nil { // writable by the processes of every user
		return
	}
	mode := core.PersistentVolumeFilesystem
	_, _ = v.client.CoreV1().PersistentVolumes().Create(ctx, &core.PersistentVolume{
		ObjectMeta: meta.ObjectMeta{Name: name, Annotations: map[string]string{provisionedBy: provisioner}},
		Spec: core.PersistentVolumeSpec{
			StorageClassName: StorageClass, AccessModes: claim.Spec.AccessModes, Capacity: claim.Spec.Resources.Requests, VolumeMode: &mode,
			PersistentVolumeReclaimPolicy: core.PersistentVolumeReclaimDelete,
			PersistentVolumeSource:        core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{Path: folder}},
			ClaimRef: &core.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace, Name: claim.Name,
				UID: claim.UID, ResourceVersion: claim.ResourceVersion},
		},
	}, meta.CreateOptions{})
}

func (v *Volumes) remove(ctx context.Context) {
	volumes, err := v.volumes.List(labels.Everything())
	if err != nil {
		return
	}
	for _, each := range volumes {
		isReleased := each.Status.Phase == core.VolumeReleased || each.Status.Phase == core.VolumeFailed
		if each.Annotations[provisionedBy] != provisioner || !isReleased || each.Spec.PersistentVolumeReclaimPolicy != core.PersistentVolumeReclaimDelete {
			continue
		}
		if os.RemoveAll(each.Spec.HostPath.Path) == nil {
			_ = v.client.CoreV1().PersistentVolumes().Delete(ctx, each.Name, meta.DeleteOptions{})
		}
	}
}
