package dev.claimstream.load.beside;

import java.util.List;
import java.util.Locale;

/**
 * What is asked of a cluster.
 *
 * @param kind what each pod asks for
 * @param nodes how many
 * @param devices of each node; whole ones where they are divided
 * @param pods how many that fit
 * @param rate pods a second; 0: all at once
 * @param unfit pods more, that fit nowhere
 */
record Load(Kind kind, int nodes, int devices, int pods, double rate, int unfit) {
    /** Kinds of claims. */
    enum Kind {
        PLAIN("one device each", 1, 1),
        PAIRS("two devices of one NUMA node each (matchAttribute)", 2, 1),
        // A device has 7 parts; ten claims ask for 15 of them, and not every gap can be filled.
        PARTITIONS("a partition each, as in MIG", 2, 7);

        private final String text;
        private final int takes;
        private final int parts;

        Kind(String text, int takes, int parts) {
            this.text = text;
            this.takes = takes;
            this.parts = parts;
        }

        private String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How many pods such a cluster has room for at least. */
    long room() {
        return (long) nodes * devices * kind.parts / kind.takes;
    }

    /** The same with other pods, all of which fit. */
    Load warmUp(int count) {
        return new Load(kind, nodes, devices, count, 0, Math.min(unfit, 10));
    }

    /** As flags of {@code control-plane load}. */
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
