package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.Part;

/**
 * What one load gave.
 *
 * @param line as {@code control-plane load} tells it
 * @param loadAverage of the machine over the last minute
 * @param faults devices given out twice, counters overrun: what must not be
 */
record Measured(Line line, double loadAverage, long faults) implements Run.Result {
    private static final double MILLIS = 1000;

    long bound() {
        return (long) line.number("bound");
    }

    long pods() {
        return (long) line.number("pods");
    }

    /** Pods that were bound though they fit nowhere. */
    long wrong() {
        return (long) line.number("unfitBound");
    }

    /** Whether it took longer than it was given. */
    boolean isCut() {
        return bound() < pods();
    }

    /** Over what was bound. */
    double podsPerSecond() {
        return line.number("podsPerSecond");
    }

    double p50Millis() {
        return line.number("p50Millis");
    }

    double p99Millis() {
        return line.number("p99Millis");
    }

    double writesPerPod() {
        return line.number("writesPerPod") * pods() / Math.max(1, bound());
    }

    /** Processor time of a part for each pod that was bound. */
    double millis(Part part) {
        return millis(part.program());
    }

    /** Processor time of what allocates beside the scheduler. */
    double allocatorMillis(Who who) {
        return millis(who.text());
    }

    /** That of the broker in it. */
    double brokerMillis(Who who) {
        double seconds = line.at("threadSeconds")
                .map(threads -> BrokerThreads.sum(threads.numbers(who.text())))
                .orElse(0.0);
        return seconds * MILLIS / Math.max(1, bound());
    }

    private double millis(String process) {
        double seconds = line.numbers("cpuSeconds").getOrDefault(process, 0.0);
        return seconds * MILLIS / Math.max(1, bound());
    }

    /** Which part of the machine the API server took, from 0 to 1. */
    double apiShare() {
        double seconds = line.numbers("cpuSeconds").getOrDefault(Part.API_SERVER.program(), 0.0);
        return seconds / Math.max(1e-9, line.number("measuredSeconds") * line.number("processors"));
    }

    /** Processors that were used by programs of others. */
    double others() {
        return line.number("otherCPUSeconds") / Math.max(1e-9, line.number("measuredSeconds"));
    }
}
