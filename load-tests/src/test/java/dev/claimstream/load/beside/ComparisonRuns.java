package dev.claimstream.load.beside;

import java.util.Locale;

/** Builds comparison runs with fixed measurements. */
final class ComparisonRuns {
    private ComparisonRuns() {}

    static ComparisonRow row(String name) {
        return ComparisonRow.DEFAULT.stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a run in which all pods of the row are bound, at this rate. */
    static ComparisonRun of(String row, MeasuredAllocator allocator, double podsPerSecond) {
        return of(row, allocator, podsPerSecond, row(row).load().pods());
    }

    static ComparisonRun of(String row, MeasuredAllocator allocator, double podsPerSecond, int bound) {
        return new ComparisonRun(row(row), allocator, measurement(row(row), podsPerSecond, bound, 0));
    }

    static RunMeasurement measurement(ComparisonRow row, double podsPerSecond, int bound, int faults) {
        String line = String.format(Locale.ROOT, """
                {"pods":%d,"bound":%d,"podsPerSecond":%.2f,"p50Millis":30,"p99Millis":250,"writesPerPod":8.25,"unfitBound":0,
                 "measuredSeconds":10,"processors":2,"otherCPUSeconds":5,
                 "cpuSeconds":{"kube-apiserver":12,"kube-scheduler":4,"claimstream":6,"next-free":1},
                 "threadSeconds":{"claimstream":{"data-plane-kafk":1.5,"kafka-1-raft-io":0.5,"kafka-producer":1,"C1 CompilerThre":2}}}
                """, row.load().pods(), bound, podsPerSecond);
        return new RunMeasurement(JsonResultLine.of(line), 3.5, faults);
    }
}
