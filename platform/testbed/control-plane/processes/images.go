//go:build linux

package processes

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	cri "k8s.io/cri-api/pkg/apis"
	api "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// Images maps images to commands of this machine.
type Images struct {
	cri.ImageManagerService
	commands map[string][]string
	folder   string
}

// NewImages reads REF=COMMAND. REF is an image with or without tag, or * for every other image. COMMAND is the entry point; it may be empty.
func NewImages(pairs []string, folder string) (*Images, error) {
	made := &Images{commands: map[string][]string{}, folder: folder}
	for _, each := range pairs {
		name, line, isPair := strings.Cut(each, "=")
		if !isPair || name == "" {
			return nil, fmt.Errorf("--image %s: must be REF=COMMAND", each)
		}
		words := strings.Fields(line)
		if len(words) > 0 {
			program, err := exec.LookPath(words[0])
			if err != nil {
				return nil, fmt.Errorf("--image %s: %w", each, err)
			}
			if words[0], err = filepath.Abs(program); err != nil {
				return nil, err
			}
		}
		made.commands[name] = words
	}
	return made, nil
}

// repository returns an image name without tag and digest.
func repository(image string) string {
	image, _, _ = strings.Cut(image, "@")
	if colon := strings.LastIndex(image, ":"); colon > strings.LastIndex(image, "/") {
		return image[:colon]
	}
	return image
}

// entry returns the command of an image, by its name with tag, else its name, else its last part, else *.
func (i *Images) entry(image string) ([]string, error) {
	whole := repository(image)
	for _, each := range []string{image, whole, whole[strings.LastIndex(whole, "/")+1:], "*"} {
		if words, isThere := i.commands[each]; isThere {
			return words, nil
		}
	}
	return nil, fmt.Errorf("image %s is not mapped to a command: start the process kubelet with --image %s=COMMAND", image, whole)
}

func (i *Images) describe(name string) *api.Image {
	return &api.Image{Id: name, RepoTags: []string{name}, RepoDigests: []string{}, Size: 1, Spec: &api.ImageSpec{Image: name}, Uid: &api.Int64Value{}}
}

// ListImages lists the mapped images.
func (i *Images) ListImages(context.Context, *api.ImageFilter) ([]*api.Image, error) {
	made := []*api.Image{}
	for name := range i.commands {
		made = append(made, i.describe(name))
	}
	slices.SortFunc(made, func(a, b *api.Image) int { return strings.Compare(a.Id, b.Id) })
	return made, nil
}

// ImageStatus describes an image if it is mapped.
func (i *Images) ImageStatus(_ context.Context, image *api.ImageSpec, _ bool) (*api.ImageStatusResponse, error) {
	if _, err := i.entry(image.GetImage()); err != nil {
		return &api.ImageStatusResponse{}, nil
	}
	return &api.ImageStatusResponse{Image: i.describe(image.GetImage())}, nil
}

// PullImage fails if an image is not mapped.
func (i *Images) PullImage(_ context.Context, image *api.ImageSpec, _ *api.AuthConfig, _ *api.PodSandboxConfig) (string, error) {
	_, err := i.entry(image.GetImage())
	return image.GetImage(), err
}

// RemoveImage does nothing.
func (i *Images) RemoveImage(context.Context, *api.ImageSpec) error { return nil }

// ImageFsInfo names the folder of the kubelet; images need no space.
func (i *Images) ImageFsInfo(context.Context) (*api.ImageFsInfoResponse, error) {
	place := []*api.FilesystemUsage{{FsId: &api.FilesystemIdentifier{Mountpoint: i.folder}, UsedBytes: &api.UInt64Value{}, InodesUsed: &api.UInt64Value{}}}
	return &api.ImageFsInfoResponse{ImageFilesystems: place, ContainerFilesystems: place}, nil
}

// Close has nothing to close.
func (i *Images) Close(context.Context) error { return nil }

// Check returns an error that names what the machine lacks.
func Check() error {
	if _, err := exec.LookPath("nsenter"); err != nil {
		return fmt.Errorf("%w: install util-linux", err)
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("a process kubelet needs the right to mount and to change users: run it as root")
	}
	return nil
}
