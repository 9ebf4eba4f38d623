package main

import (
	"context"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/json"
)

// A selectorQuestion asks whether a selector matches a device of a driver.
type selectorQuestion struct {
	Name       string             `json:"name"`
	Expression string             `json:"expression"`
	Driver     string             `json:"driver"`
	Device     resourceapi.Device `json:"device"`
	Features   gates              `json:"features"`
	// NewExpression selects the CEL environment for new objects, which is one release behind.
	NewExpression bool `json:"newExpression"`
}

// A selectorAnswer has no match if the expression does not compile or its evaluation fails.
type selectorAnswer struct {
	Name  string `json:"name"`
	Match *bool  `json:"match"`
	Error string `json:"error,omitempty"`
	// Compiled is false if the expression fails for every device.
	Compiled bool `json:"compiled"`
	// Cost is the actual cost of one evaluation; absent if nothing was evaluated.
	Cost *uint64 `json:"cost,omitempty"`
	// CostVaries says that another evaluation had another cost: it depends on the order of a Go map.
	CostVaries bool `json:"costVaries,omitempty"`
}

type compiler interface {
	CompileCELExpression(string, cel.Options) cel.CompilationResult
}

// compilers has one compiler per set of features. Upstream caches only the last one, which alternating questions would replace each time.
var compilers = map[cel.Features]compiler{}

func compilerFor(features cel.Features) compiler {
	made, isKnown := compilers[features]
	if !isKnown {
		made = cel.GetCompiler(features)
		compilers[features] = made
	}
	return made
}

func matchLine(line []byte) any {
	var question selectorQuestion
	if err := json.UnmarshalCaseSensitivePreserveInts(line, &question); err != nil {
		return selectorAnswer{Error: "unreadable question: " + err.Error()}
	}
	answer := selectorAnswer{Name: question.Name}
	if err := guarded(func() error { return match(question, &answer) }); err != nil {
		answer.Match = nil
		answer.Error = err.Error()
	}
	return answer
}

func match(question selectorQuestion, answer *selectorAnswer) error {
	options := cel.Options{DisableCostEstimation: true}
	if question.NewExpression {
		options.EnvType = ptr.To(environment.NewExpressions)
	}
	compiled := compilerFor(question.Features.selectors()).CompileCELExpression(question.Expression, options)
	if compiled.Error != nil {
		return fmt.Errorf("CEL compile error: %w", compiled.Error)
	}
	answer.Compiled = true
	device := cel.Device{
		Driver:                   question.Driver,
		AllowMultipleAllocations: question.Device.AllowMultipleAllocations,
		Attributes:               question.Device.Attributes,
		Capacity:                 question.Device.Capacity,
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), device)
	answer.Cost = costOf(details)
	for range 4 {
		if _, again, _ := compiled.DeviceMatches(context.Background(), device); !ptr.Equal(costOf(again), answer.Cost) {
			answer.CostVaries = true
		}
	}
	if err != nil {
		return fmt.Errorf("CEL runtime error: %w", enhanced(err))
	}
	answer.Match = &matches
	return nil
}

func costOf(details *celgo.EvalDetails) *uint64 {
	if details == nil {
		return nil
	}
	return details.ActualCost()
}
