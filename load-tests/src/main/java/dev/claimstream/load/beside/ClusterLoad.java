package dev.claimstream.load.beside;

import java.util.List;
import java.util.Locale;

/**
 * The load on a cluster.
 *
 * @param kind what each pod requests
 * @param nodes number of nodes
 * @param devices devices per node; undivided ones for partitions
 * @param pods number of pods that fit
 * @param rate pods per second; 0 for all at once
 * @param unfit number of additional pods that fit nowhere
 */
record ClusterLoad(LoadClaimKind kind, int nodes, int devices, int pods, double rate, int unfit) {
    /** The kinds of claims. */
    enum LoadClaimKind {
        PLAIN("one device each", 1, 1),
        PAIRS("two devices of one NUMA node each (matchAttribute)", 2, 1),
        // A device has 7 partitions; ten claims request 15 of them, and some gaps cannot be filled.
        PARTITIONS("a partition each, as in MIG", 2, 7);

        private final String text;
        private final int unitsPerPod;
        private final int unitsPerDevice;

        LoadClaimKind(String text, int takes, int parts) {
            this.text = text;
            this.unitsPerPod = takes;
            this.unitsPerDevice = parts;
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Returns a lower bound of the number of pods that fit. */
    long capacity() {
        return (long) nodes * devices * kind.unitsPerDevice / kind.unitsPerPod;
    }

    /** Returns the load with another number of pods, which all fit. */
    ClusterLoad warmUp(int count) {
        return new ClusterLoad(kind, nodes, devices, count, 0, Math.min(unfit, 10));
    }

    /** Returns the flags of {@code control-plane load}. */
    List<String> flags() {
        return List.of(
                "--kind=" + kind.word(),
                "--nodes=" + nodes,
                "--devices=" + devices,
                "--pods=" + pods,
                "--rate=" + rate,
                "--unfit=" + unfit);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%,d pods %s, %s%s; %d nodes x %d devices",
                pods,
                rate > 0 ? "at %s a second".formatted(trimmed(rate)) : "at once",
                kind.text,
                unfit > 0 ? ", and %d among them that fit nowhere".formatted(unfit) : "",
                nodes,
                devices);
    }

    private static String trimmed(double number) {
        return number == Math.rint(number) ? Long.toString(Math.round(number)) : Double.toString(number);
    }
}
