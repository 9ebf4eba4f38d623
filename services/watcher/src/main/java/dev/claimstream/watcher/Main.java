package dev.claimstream.watcher;

import io.micronaut.runtime.Micronaut;

/** The watcher as a process of its own. */
public final class Main {
    private Main() {}

    /** Starts it; it runs until it is stopped. */
    public static void main(String[] args) {
        Micronaut.build(args).banner(false).start();
    }
}
