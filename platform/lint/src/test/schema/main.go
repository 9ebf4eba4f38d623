// Prints the fields of pods, nodes, namespaces and workloads, from the types of k8s.io/api. Each line is a type. The word after the colon
// is the type of the field; [] marks a list and {} a map.
package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var types = map[string]string{}

func name(t reflect.Type) string {
	switch t {
	case reflect.TypeOf(resource.Quantity{}):
		return "quantity"
	case reflect.TypeOf(intstr.IntOrString{}):
		return "int-or-string"
	case reflect.TypeOf(metav1.Time{}), reflect.TypeOf(metav1.MicroTime{}):
		return "string"
	case reflect.TypeOf(metav1.FieldsV1{}):
		return "any"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return name(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return "int"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "string"
		}
		return "[]" + name(t.Elem())
	case reflect.Map:
		return "{}" + name(t.Elem())
	case reflect.Struct:
		describe(t)
		return t.Name()
	}
	panic(t.String())
}

func fields(t reflect.Type) []string {
	var out []string
	for i := 0; i < t.NumField(); i++ {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		parts := strings.Split(tag, ",")
		if f.Anonymous && parts[0] == "" {
			out = append(out, fields(f.Type)...)
			continue
		}
		if parts[0] == "-" || parts[0] == "" {
			continue
		}
		out = append(out, parts[0]+":"+name(f.Type))
	}
	return out
}

func describe(t reflect.Type) {
	if _, ok := types[t.Name()]; ok {
		return
	}
	types[t.Name()] = ""
	types[t.Name()] = strings.Join(fields(t), " ")
}

func main() {
	for _, o := range []any{corev1.Pod{}, corev1.Node{}, corev1.Namespace{}, corev1.PodTemplate{}, corev1.ReplicationController{}, appsv1.Deployment{}, appsv1.StatefulSet{}, appsv1.DaemonSet{}, appsv1.ReplicaSet{}, batchv1.Job{}, batchv1.CronJob{}} {
		describe(reflect.TypeOf(o))
	}
	var names []string
	for n := range types {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(os.Stdout, "%s %s\n", n, types[n])
	}
}
