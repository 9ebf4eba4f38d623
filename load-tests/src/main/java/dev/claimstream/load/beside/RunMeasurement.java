package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;

/**
 * The measurement of one load.
 *
 * @param line the output of {@code control-plane load}
 * @param loadAverage of the machine over the last minute
 * @param faults number of devices allocated twice and counters exceeded
 */
record RunMeasurement(JsonResultLine line, double loadAverage, long faults) implements ComparisonRun.RunOutcome {
    private static final double MILLIS = 1000;

    long bound() {
        return (long) line.number("bound");
    }

    long pods() {
        return (long) line.number("pods");
    }

    /** Returns the number of bound pods that fit nowhere. */
    long wronglyBound() {
        return (long) line.number("unfitBound");
    }

    /** Returns whether the run exceeded its time limit. */
    boolean isTimedOut() {
        return bound() < pods();
    }

    /** Returns the rate of bound pods. */
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

    /** Returns the processor time of a part per bound pod. */
    double millis(ControlPlaneComponent part) {
        return millis(part.program());
    }

    /** Returns the processor time of the allocator outside kube-scheduler. */
    double allocatorMillis(MeasuredAllocator who) {
        return millis(who.text());
    }

    /** Returns the processor time of the broker in the allocator. */
    double brokerMillis(MeasuredAllocator who) {
        double seconds = line.at("threadSeconds")
                .map(threads -> BrokerThreads.sum(threads.numbers(who.text())))
                .orElse(0.0);
        return seconds * MILLIS / Math.max(1, bound());
    }

    private double millis(String process) {
        double seconds = line.numbers("cpuSeconds").getOrDefault(process, 0.0);
        return seconds * MILLIS / Math.max(1, bound());
    }

    /** Returns the API server's share of the machine, from 0 to 1. */
    double apiShare() {
        double seconds = line.numbers("cpuSeconds").getOrDefault(ControlPlaneComponent.API_SERVER.program(), 0.0);
        return seconds / Math.max(1e-9, line.number("measuredSeconds") * line.number("processors"));
    }

    /** Returns the number of processors that other programs used. */
    double otherProcessors() {
        return line.number("otherCPUSeconds") / Math.max(1e-9, line.number("measuredSeconds"));
    }
}
