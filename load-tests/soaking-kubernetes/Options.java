import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The options of the command line. */
record Options(
        Path root,
        Path folder,
        long seconds,
        int nodes,
        int devices,
        double rate,
        long faultEvery,
        long outage,
        long restEvery,
        long patience,
        long seed) {
    private static final Set<String> NAMES = new TreeSet<>(Set.of(
            "--root",
            "--folder",
            "--seconds",
            "--nodes",
            "--devices",
            "--rate",
            "--fault-every",
            "--outage",
            "--rest-every",
            "--patience",
            "--seed"));

    /** Reads the options. Rejects unknown names and invalid values. */
    static Options of(String[] args) {
        Map<String, String> given = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!NAMES.contains(args[i])) {
                throw new IllegalArgumentException("%s is no option".formatted(args[i]));
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("%s: the value is missing".formatted(args[i]));
            }
            given.put(args[i], args[i + 1]);
        }
        return new Options(
                Path.of(given.getOrDefault("--root", ".")),
                Path.of(given.getOrDefault("--folder", "soak")),
                number(given, "--seconds", 900, 1, 1_000_000),
                (int) number(given, "--nodes", 20, 2, 5000),
                (int) number(given, "--devices", 8, 4, 128),
                rate(given.getOrDefault("--rate", "5")),
                number(given, "--fault-every", 30, 0, 100_000),
                number(given, "--outage", 60, 0, 100_000),
                number(given, "--rest-every", 120, 10, 1_000_000),
                number(given, "--patience", 90, 10, 100_000),
                number(given, "--seed", System.nanoTime() & 0xffff, Long.MIN_VALUE, Long.MAX_VALUE));
    }

    private static long number(Map<String, String> given, String name, long other, long least, long most) {
        String text = given.getOrDefault(name, Long.toString(other));
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("%s %s: must be a whole number%s"
                .formatted(name, text, least == Long.MIN_VALUE ? "" : " from %d to %d".formatted(least, most)));
    }

    private static double rate(String text) {
        try {
            double rate = Double.parseDouble(text);
            if (rate > 0 && rate <= 1000) {
                return rate;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException("--rate %s: must be a number above 0, 1000 at most".formatted(text));
    }
}
