//go:build !kubernetes136

package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"sigs.k8s.io/json"
)

// A consumersQuestion asks for the consumers for which the claims of a pod are reserved.
type consumersQuestion struct {
	Name string     `json:"name"`
	Pod  corev1.Pod `json:"pod"`
	// PodGroup is the group of the pod, if any.
	PodGroup *schedulingapi.PodGroup `json:"podGroup"`
	Features gates                   `json:"features"`
	// Claims are those of the pod's namespace.
	Claims []resourceapi.ResourceClaim `json:"claims"`
}

type consumersAnswer struct {
	Name    string        `json:"name"`
	Error   string        `json:"error,omitempty"`
	Entries []entryAnswer `json:"entries"`
}

// An entryAnswer is about one entry of pod.spec.resourceClaims.
type entryAnswer struct {
	Entry string `json:"entry"`
	// Claim is the name of the claim; empty if none is needed.
	Claim string `json:"claim"`
	// Consumer is the object for which the claim is reserved.
	Consumer resourceapi.ResourceClaimConsumerReference `json:"consumer"`
	Error    string                                     `json:"error,omitempty"`
}

func consumersLine(line []byte) any {
	var question consumersQuestion
	if err := json.UnmarshalCaseSensitivePreserveInts(line, &question); err != nil {
		return consumersAnswer{Error: "unreadable question: " + err.Error()}
	}
	answer := consumersAnswer{Name: question.Name}
	err := guarded(func() error {
		for i := range question.Pod.Spec.ResourceClaims {
			entry := &question.Pod.Spec.ResourceClaims[i]
			one := entryAnswer{Entry: entry.Name}
			one.Error = text(question.fill(entry, &one))
			answer.Entries = append(answer.Entries, one)
		}
		return nil
	})
	answer.Error = text(err)
	return answer
}

// fill resolves an entry as kube-scheduler does before the allocation.
func (q *consumersQuestion) fill(entry *corev1.PodResourceClaim, answer *entryAnswer) error {
	groupsCount := q.Features.on("DRAWorkloadResourceClaims")
	podGroup := q.PodGroup
	if !groupsCount {
		podGroup = nil
	}
	consumer, err := resourceclaim.BindTo(&q.Pod, podGroup, entry)
	if err != nil {
		return err
	}
	answer.Consumer = consumer
	name, mustCheckOwner, err := resourceclaim.Name(&q.Pod, entry)
	if err != nil || name == nil {
		return err
	}
	answer.Claim = *name
	claim, err := q.claim(*name)
	if err != nil {
		return err
	}
	if mustCheckOwner {
		return resourceclaim.IsForPod(&q.Pod, claim, groupsCount)
	}
	return nil
}

func (q *consumersQuestion) claim(name string) (*resourceapi.ResourceClaim, error) {
	for i := range q.Claims {
		if q.Claims[i].Name == name {
			return &q.Claims[i], nil
		}
	}
	return nil, fmt.Errorf("there is no claim %q", name)
}
