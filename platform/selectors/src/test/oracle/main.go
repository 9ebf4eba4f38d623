// Oracle evaluates the selectors of cases.txt and the derived attributes of derived.txt with the code of kube-scheduler. The results are
// the expectations of the tests. Usage: go run . < cases.txt > answers.tsv; go run . -derived < derived.txt > derived.tsv
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	celgo "github.com/google/cel-go/cel"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/cel"
)

type attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
type capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity

// devices equal those of the Java class Devices.
var devices = map[string]cel.Device{
	"bare": {Driver: "dra.example.com"},
	"gpu": {
		Driver:                   "dra.example.com",
		AllowMultipleAllocations: new(true),
		Attributes: attributes{
			"model":                {StringValue: new("H200")},
			"uuid":                 {StringValue: new("GPU-18b2")},
			"index":                {IntValue: new(int64(3))},
			"mig":                  {BoolValue: new(true)},
			"ecc":                  {BoolValue: new(false)},
			"driverVersion":        {VersionValue: new("550.54.15")},
			"firmware":             {VersionValue: new("1.2.3-rc.1+build.7")},
			"links":                {IntValues: []int64{4, 2, 9}},
			"tags":                 {StringValues: []string{"fast", "hbm"}},
			"flags":                {BoolValues: []bool{true, false}},
			"runtimes":             {VersionValues: []string{"12.4.0", "12.6.0"}},
			"text":                 {StringValue: new("αβγ straße \"q\"\n")},
			"site.example.org/row": {IntValue: new(int64(7))},
			"site.example.org/url": {StringValue: new("https://u@example.com:80/a%20b?x=1&x=2#f")},
			"site.example.org/ip":  {StringValue: new("192.168.0.1")},
		},
		Capacity: capacity{
			"memory":                 {Value: resource.MustParse("141Gi")},
			"cores":                  {Value: resource.MustParse("1500m")},
			"site.example.org/power": {Value: resource.MustParse("700")},
		},
	},
	"unknown": {Driver: "dra.example.com", Attributes: attributes{"a": {BoolValue: new(true)}, "b": {}}},
	"badversion": {
		Driver:     "dra.example.com",
		Attributes: attributes{"a": {BoolValue: new(true)}, "v": {VersionValue: new("1.2")}},
	},
	"badversions": {
		Driver:     "dra.example.com",
		Attributes: attributes{"a": {BoolValue: new(true)}, "v": {VersionValues: []string{"1.2.3", "01.2.3"}}},
	},
}

type asked interface {
	CompileCELExpression(string, cel.Options) cel.CompilationResult
}

func answer(compiler asked, device cel.Device, expression string) (string, string) {
	compiled := compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true})
	if compiled.Error != nil {
		return "compile error: " + compiled.Error.Error(), "-"
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), device)
	cost := costOf(details)
	for range 50 {
		if _, again, _ := compiled.DeviceMatches(context.Background(), device); costOf(again) != cost {
			cost = "varies"
			break
		}
	}
	switch {
	case err != nil:
		return "runtime error: " + cel.EnhanceRuntimeError(err).Error(), cost
	case matches:
		return "yes", cost
	default:
		return "no", cost
	}
}

// costOf returns the cost of one evaluation. It can vary if it depends on the order of a Go map.
func costOf(details *celgo.EvalDetails) string {
	if details == nil || details.ActualCost() == nil {
		return "-"
	}
	return fmt.Sprint(*details.ActualCost())
}

// derived evaluates a derived attribute. Its errors have no hint, unlike those of selectors.
func derived(compiler asked, device cel.Device, expression string) (string, string) {
	compiled := compiler.CompileCELExpression(expression, cel.Options{DisableCostEstimation: true, DerivedAttribute: true})
	if compiled.Error != nil {
		return "compile error: " + compiled.Error.Error(), "-"
	}
	attribute, details, err := compiled.EvaluateDerivedAttribute(context.Background(), device)
	if err != nil {
		return "runtime error: " + err.Error(), costOf(details)
	}
	return text(attribute), costOf(details)
}

// text returns the type and the value of an attribute. Bars separate the members of a list.
func text(attribute *resourceapi.DeviceAttribute) string {
	switch {
	case attribute.IntValue != nil:
		return fmt.Sprint("int ", *attribute.IntValue)
	case attribute.BoolValue != nil:
		return fmt.Sprint("bool ", *attribute.BoolValue)
	case attribute.StringValue != nil:
		return "string " + *attribute.StringValue
	case attribute.VersionValue != nil:
		return "version " + *attribute.VersionValue
	case attribute.IntValues != nil:
		return "ints " + joined(attribute.IntValues)
	case attribute.BoolValues != nil:
		return "bools " + joined(attribute.BoolValues)
	case attribute.StringValues != nil:
		return "strings " + joined(attribute.StringValues)
	default:
		return "versions " + joined(attribute.VersionValues)
	}
}

func joined[T any](values []T) string {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = fmt.Sprint(value)
	}
	return strings.Join(texts, "|")
}

func escape(text string) string {
	return strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t").Replace(text)
}

func main() {
	isDerived := flag.Bool("derived", false, "the expressions are derived attributes")
	flag.Parse()
	ask := answer
	if *isDerived {
		ask = derived
	}
	compiler := cel.GetCompiler(cel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: true})
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, found := strings.Cut(line, " | ")
		device, known := devices[name]
		if !found || !known {
			fmt.Fprintf(os.Stderr, "line %q names no device\n", line)
			os.Exit(1)
		}
		verdict, cost := ask(compiler, device, expression)
		fmt.Printf("%s\t%s\t%s\t%s\n", name, expression, cost, escape(verdict))
	}
}
