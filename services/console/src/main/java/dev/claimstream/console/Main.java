package dev.claimstream.console;

import io.micronaut.runtime.Micronaut;

/** The console as a process of its own. */
public final class Main {
    private Main() {}

    /** Starts it; it runs until it is stopped. */
    public static void main(String[] args) {
        Micronaut.build(args).banner(false).start();
    }
}
