package main

import "k8s.io/dynamic-resource-allocation/cel"

// gates are feature gates by name, as a question sets them; one that it leaves out has the default of the release.
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
