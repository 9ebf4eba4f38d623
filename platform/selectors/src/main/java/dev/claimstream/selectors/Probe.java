package dev.claimstream.selectors;

/** Calls every function of an environment. */
final class Probe {
    private Probe() {}

    static void run(Environment environment) {}
}
