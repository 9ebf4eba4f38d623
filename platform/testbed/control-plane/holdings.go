package main

import (
	"encoding/json"
	"os"
	"slices"

	dra "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A device that was allocated to a claim, or shares of it.
type holding struct {
	claim                types.UID
	driver, pool, device string
}

// All observed holdings, with the names of the pods for which the claim was reserved.
type holdings map[holding]map[string]bool

// note adds the devices of a claim.
func (h holdings) note(claim *dra.ResourceClaim) {
	for _, each := range claim.Status.Allocation.Devices.Results {
		one := holding{claim.UID, each.Driver, each.Pool, each.Device}
		if h[one] == nil {
			h[one] = map[string]bool{}
		}
		for _, consumer := range claim.Status.ReservedFor {
			h[one][consumer.Name] = true
		}
	}
}

// write writes a JSON object per holding to a file.
func (h holdings) write(path string) error {
	rows := make([]map[string]any, 0, len(h))
	for one, named := range h {
		pods := make([]string, 0, len(named))
		for each := range named {
			pods = append(pods, each)
		}
		slices.Sort(pods)
		rows = append(rows, map[string]any{"claim_uid": one.claim, "device": one.driver + "/" + one.pool + "/" + one.device, "pods": pods})
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
