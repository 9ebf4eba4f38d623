import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The options of the command line.
 *
 * @param seconds time in which the claims are due
 * @param killEvery seconds between two kills; 0 for none
 */
record SoakOptions(Path root, Path data, long seconds, long claims, int nodes, long killEvery, long seed) {
    private static final Set<String> NAMES =
            Set.of("--root", "--data", "--seconds", "--claims", "--nodes", "--kill-every", "--seed");

    /** @throws IllegalArgumentException if an option is unknown or a value is invalid */
    static SoakOptions of(String[] args) {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < args.length; i += 2) {
            if (!NAMES.contains(args[i])) {
                throw new IllegalArgumentException("%s is no option".formatted(args[i]));
            }
            if (i + 1 == args.length) {
                throw new IllegalArgumentException("%s: the value is missing".formatted(args[i]));
            }
            values.put(args[i], args[i + 1]);
        }
        return new SoakOptions(
                Path.of(values.getOrDefault("--root", ".")),
                Path.of(values.getOrDefault("--data", "soak/data")),
                number(values, "--seconds", 900, 1, 1_000_000),
                number(values, "--claims", 100_000, 1, Integer.MAX_VALUE),
                (int) number(values, "--nodes", 100, 1, 5000),
                number(values, "--kill-every", 120, 0, 1_000_000),
                number(values, "--seed", System.nanoTime() & 0xffff, Long.MIN_VALUE, Long.MAX_VALUE));
    }

    private static long number(Map<String, String> values, String name, long other, long least, long most) {
        String text = values.getOrDefault(name, Long.toString(other));
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below
        }
        throw new IllegalArgumentException(
                "%s %s: must be a whole number from %d to %d".formatted(name, text, least, most));
    }
}
