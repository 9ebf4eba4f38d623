package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// subcommand gives the flags that every command has which speaks to an API server.
func subcommand(name, usage string) (*flag.FlagSet, *string) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	return flags, flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig `FILE` of the API server")
}

// parseStatus is the exit code after flags that were not accepted; the package has said why.
func parseStatus(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	return 2
}
