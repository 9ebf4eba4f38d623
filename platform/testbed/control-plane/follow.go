package main

import (
	"context"
	"time"

	core "k8s.io/api/core/v1"
	dra "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

const askAgain = 200 * time.Millisecond

// Objects of one kind in all namespaces. An informer would not report gaps of its watch, and its backoff differs per kind.
type followed struct {
	list    func(context.Context) (objects []meta.Object, version string, err error)
	watch   func(context.Context, meta.ListOptions) (watch.Interface, error)
	listed  func([]meta.Object)
	next    func(object meta.Object, isGone bool)
	reached func(version) // receives the version up to which all changes were applied
}

func (c *checker) claimsOf(api kubernetes.Interface) followed {
	claims := api.ResourceV1().ResourceClaims("")
	return followed{
		list: func(ctx context.Context) ([]meta.Object, string, error) {
			found, err := claims.List(ctx, meta.ListOptions{})
			if err != nil {
				return nil, "", err
			}
			return pointers[dra.ResourceClaim](found.Items), found.ResourceVersion, nil
		},
		watch: claims.Watch,
		listed: func(objects []meta.Object) {
			c.lists++
			missing(c.claims, objects, func(uid types.UID) { c.claim(&dra.ResourceClaim{ObjectMeta: meta.ObjectMeta{UID: uid}}, true, false) })
			for _, each := range objects {
				c.claim(each.(*dra.ResourceClaim), false, false)
			}
		},
		next:    func(object meta.Object, isGone bool) { c.claim(object.(*dra.ResourceClaim), isGone, true) },
		reached: func(version) {},
	}
}

func (c *checker) podsOf(api kubernetes.Interface) followed {
	pods := api.CoreV1().Pods("")
	return followed{
		list: func(ctx context.Context) ([]meta.Object, string, error) {
			found, err := pods.List(ctx, meta.ListOptions{})
			if err != nil {
				return nil, "", err
			}
			return pointers[core.Pod](found.Items), found.ResourceVersion, nil
		},
		watch: pods.Watch,
		listed: func(objects []meta.Object) {
			missing(c.pods, objects, func(uid types.UID) {
				c.lives.missing(uid)
				delete(c.pods, uid)
			})
			for _, each := range objects {
				c.pod(each.(*core.Pod), false, false)
			}
		},
		next:    func(object meta.Object, isGone bool) { c.pod(object.(*core.Pod), isGone, true) },
		reached: c.lives.reached,
	}
}

// pointers returns the items of a list.
func pointers[T any, P interface {
	*T
	meta.Object
}](items []T) []meta.Object {
	made := make([]meta.Object, 0, len(items))
	for i := range items {
		made = append(made, P(&items[i]))
	}
	return made
}

// missing calls gone for each known object that a list lacks.
func missing[T any](known map[types.UID]T, objects []meta.Object, gone func(types.UID)) {
	left := map[types.UID]bool{}
	for _, each := range objects {
		left[each.GetUID()] = true
	}
	for uid := range known {
		if !left[uid] {
			gone(uid)
		}
	}
}

// follow lists the objects, then watches changes, and relists after a gap.
func (c *checker) follow(ctx context.Context, kind followed, begun func()) {
	for ctx.Err() == nil {
		objects, version, err := kind.list(ctx)
		if err != nil {
			time.Sleep(askAgain)
			continue
		}
		c.tell(len(objects), func() {
			kind.listed(objects)
			kind.reached(versionOf(version))
		})
		begun()
		for version != "" && ctx.Err() == nil {
			version = c.changes(ctx, kind, version)
		}
	}
}

// changes applies the changes after a version until the watch ends. It returns the version to continue from; empty after 410 Gone.
func (c *checker) changes(ctx context.Context, kind followed, version string) string {
	watching, err := kind.watch(ctx, meta.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true})
	if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return ""
	}
	if err != nil {
		time.Sleep(askAgain)
		return version
	}
	defer watching.Stop()
	for event := range watching.ResultChan() {
		object, isObject := event.Object.(meta.Object)
		if !isObject {
			return "" // an error: relist
		}
		version = object.GetResourceVersion()
		if event.Type == watch.Bookmark {
			c.tell(0, func() { kind.reached(versionOf(version)) })
		} else {
			c.tell(1, func() { kind.next(object, event.Type == watch.Deleted) })
		}
	}
	time.Sleep(askAgain)
	return version
}

func (c *checker) tell(count int, what func()) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.seen += count
	what()
}
