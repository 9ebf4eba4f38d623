package main

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// connect speaks to the API server of a kubeconfig, as often as it likes.
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

// untilTold is over when a signal comes, or when standard input closes that is not /dev/null.
func untilTold() (context.Context, context.CancelFunc) {
	ctx, stop, lines := untilAsked()
	go func() {
		for range lines {
			continue // nothing is asked here
		}
	}()
	return ctx, stop
}
