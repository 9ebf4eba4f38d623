package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// connect returns a client of the API server of a kubeconfig, without a rate limit.
func connect(path string) (kubernetes.Interface, error) {
	if path == "" {
		return nil, fmt.Errorf("--kubeconfig is missing, and KUBECONFIG is not set: name the kubeconfig that control-plane up has printed")
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("--kubeconfig %s: %w", path, err)
	}
	config.QPS = -1
	config.UserAgent = "control-plane"
	config.ContentType = "application/vnd.kubernetes.protobuf"
	config.WarningHandler = rest.NoWarnings{}
	return kubernetes.NewForConfig(config)
}

// untilTold returns a context that ends with a signal, or at the end of standard input unless that is /dev/null.
func untilTold() (context.Context, context.CancelFunc) {
	ctx, stop, lines := untilAsked()
	go func() {
		for range lines {
			continue // this command takes no input
		}
	}()
	return ctx, stop
}
