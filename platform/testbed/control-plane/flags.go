package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
)

// subcommand returns the flags of every command that is a client of an API server.
func subcommand(name, usage string) (*flag.FlagSet, *string) {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage)
		flags.PrintDefaults()
	}
	return flags, flags.String("kubeconfig", os.Getenv("KUBECONFIG"), "kubeconfig `FILE` of the API server")
}

// parseStatus returns the exit code for rejected flags. The flag package has printed the reason.
func parseStatus(err error) int {
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	return 2
}
