// Oracle reads quantities and versions with the code of Kubernetes. Usage: go run . < cases.txt > answers.tsv
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/blang/semver/v4"
	"k8s.io/apimachinery/pkg/api/resource"
)

func quantity(text string) string {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return "error: " + err.Error()
	}
	whole := "-"
	if i, ok := q.AsInt64(); ok {
		whole = fmt.Sprint(i)
	}
	return fmt.Sprintf("%s\t%s\t%d\t%d\t%v", canonical(q), whole, q.Value(), q.Sign(), q.AsApproximateFloat64())
}

// canonical returns the canonical form. String may return the parsed text instead.
func canonical(q resource.Quantity) string {
	number, suffix := q.CanonicalizeBytes(nil)
	return string(number) + string(suffix)
}

func version(text string) string {
	v, err := semver.Parse(text)
	if err != nil {
		return "error: " + err.Error()
	}
	return v.String()
}

func sums(a, b string) string {
	sum, difference, other := resource.MustParse(a), resource.MustParse(a), resource.MustParse(b)
	sum.Add(other)
	difference.Sub(resource.MustParse(b))
	x, y := resource.MustParse(a), resource.MustParse(b)
	order := x.Cmp(y)
	return fmt.Sprintf("%s\t%s\t%d", canonical(sum), canonical(difference), order)
}

func order(a, b string) string {
	return fmt.Sprint(semver.MustParse(a).Compare(semver.MustParse(b)))
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		fields := strings.Split(in.Text(), "|")
		answer := ""
		switch {
		case fields[0] == "quantity":
			answer = quantity(fields[1])
		case fields[0] == "quantities":
			answer = sums(fields[1], fields[2])
		case fields[0] == "version":
			answer = version(fields[1])
		case fields[0] == "versions":
			answer = order(fields[1], fields[2])
		default:
			continue
		}
		fmt.Printf("%s\t%s\n", in.Text(), answer)
	}
}
