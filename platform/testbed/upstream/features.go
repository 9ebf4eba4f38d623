package main

import "k8s.io/dynamic-resource-allocation/cel"

// gates are the feature gates of a question by name. A missing gate has the default of the release.
type gates map[string]bool

func (g gates) on(gate string) bool {
	if isOn, isSet := g[gate]; isSet {
		return isOn
	}
	return defaultsOn[gate]
}

func (g gates) selectors() cel.Features {
	return cel.Features{
		EnableConsumableCapacity: g.on("DRAConsumableCapacity"),
		EnableListTypeAttributes: g.on("DRAListTypeAttributes"),
	}
}
