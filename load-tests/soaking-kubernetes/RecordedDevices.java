import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Compares the devices of claims and pods, as the API server and the checker know them, with those that
 * {@code claimstream audit sql} computes from the log.
 */
final class RecordedDevices {
    private static final String QUERY =
            "SELECT claim_uid, driver || '/' || pool || '/' || device AS device, pods FROM intervals WHERE ";
    private static final String OPEN = "released IS NULL";
    private static final String ALL = "TRUE";
    private static final String COMMITTED = "committed IS NOT NULL";
    private static final int RESPONSE_SECONDS_MAX = 180;

    private final Path launcher;
    private final Path data;
    private final Path errors;
    private final Api api;

    /** The devices of a claim, and the names of its pods. */
    private record Holding(SortedSet<String> devices, SortedSet<String> pods) {
        Holding() {
            this(new TreeSet<>(), new TreeSet<>());
        }
    }

    RecordedDevices(Path launcher, Path folder, Api api) {
        this.launcher = launcher;
        data = folder.resolve("data");
        errors = folder.resolve("history.err");
        this.api = api;
    }

    /** The differences by claim. A claim of the history may have further, deleted pods. */
    List<String> differences() throws IOException, InterruptedException {
        SortedMap<String, Holding> served = served();
        SortedMap<String, Holding> recorded = recorded(OPEN);
        List<String> differences = new ArrayList<>();
        SortedSet<String> claims = new TreeSet<>(served.keySet());
        claims.addAll(recorded.keySet());
        for (String claim : claims) {
            Holding one = served.getOrDefault(claim, new Holding());
            Holding other = recorded.getOrDefault(claim, new Holding());
            if (!one.devices.equals(other.devices) || !other.pods.containsAll(one.pods)) {
                differences.add(
                        "claim %s has %s in the API server, and %s in the history".formatted(claim, one, other));
            }
        }
        return differences;
    }

    /**
     * Differences between all that the checker has seen and the history of the same time.
     *
     * @param seen number of pairs of claim and device that the checker has seen
     * @param differences differences in devices, by claim. The commit may be unknown to the history: up was killed
     *     after its write, and the claim was deleted before up ran again
     * @param unseen claims with committed devices that the checker has not seen: it relists after a gap of its watch,
     *     and misses claims that were created and deleted meanwhile
     */
    record RecordComparison(int seen, List<String> differences, SortedSet<String> unseen) {}

    /** Compares with the file that the checker has written. */
    RecordComparison compareAll(Path checked) throws IOException, InterruptedException {
        SortedMap<String, Holding> seen = new TreeMap<>();
        for (Object row : rows(JsonReader.read(Files.readString(checked)))) {
            Holding holding = seen.computeIfAbsent(JsonReader.text(row, "claim_uid"), _ -> new Holding());
            holding.devices.add(JsonReader.text(row, "device"));
            JsonReader.list(row, "pods").forEach(each -> holding.pods.add((String) each));
        }
        SortedMap<String, Holding> recorded = recorded(ALL);
        List<String> differences = new ArrayList<>();
        seen.forEach((claim, one) -> {
            Holding other = recorded.getOrDefault(claim, new Holding());
            if (!other.devices.containsAll(one.devices) || !other.pods.containsAll(one.pods)) {
                differences.add(
                        "the checker saw claim %s with %s, and the history has %s".formatted(claim, one, other));
            }
        });
        SortedSet<String> unseen = new TreeSet<>();
        recorded(COMMITTED).forEach((claim, one) -> {
            if (!seen.getOrDefault(claim, new Holding()).devices.containsAll(one.devices)) {
                unseen.add(claim);
            }
        });
        return new RecordComparison(
                seen.values().stream().mapToInt(each -> each.devices.size()).sum(), differences, unseen);
    }

    /** Number of devices that claims have in the API server. */
    int devices() throws InterruptedException {
        return served().values().stream().mapToInt(each -> each.devices.size()).sum();
    }

    private SortedMap<String, Holding> served() throws InterruptedException {
        SortedMap<String, Holding> holdings = new TreeMap<>();
        for (Object claim : JsonReader.list(
                JsonReader.read(
                        api.get("/apis/resource.k8s.io/v1/resourceclaims").body()),
                "items")) {
            var holding = new Holding();
            for (Object each : JsonReader.list(claim, "status", "allocation", "devices", "results")) {
                holding.devices.add("%s/%s/%s"
                        .formatted(
                                JsonReader.text(each, "driver"),
                                JsonReader.text(each, "pool"),
                                JsonReader.text(each, "device")));
            }
            JsonReader.list(claim, "status", "reservedFor")
                    .forEach(each -> holding.pods.add(JsonReader.text(each, "name")));
            if (!holding.devices.isEmpty()) {
                holdings.put(JsonReader.text(claim, "metadata", "uid"), holding);
            }
        }
        return holdings;
    }

    private SortedMap<String, Holding> recorded(String which) throws IOException, InterruptedException {
        var command =
                List.of(launcher.toString(), "audit", "sql", QUERY + which, "-o", "json", "--data", data.toString());
        Process process =
                new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String answer = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(RESPONSE_SECONDS_MAX, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IllegalStateException("claimstream audit sql failed: see " + errors);
        }
        SortedMap<String, Holding> holdings = new TreeMap<>();
        for (Object row : rows(JsonReader.read(answer))) {
            Holding holding = holdings.computeIfAbsent(JsonReader.text(row, "claim_uid"), _ -> new Holding());
            holding.devices.add(JsonReader.text(row, "device"));
            holding.pods.addAll(List.of(JsonReader.text(row, "pods").split(",")));
        }
        return holdings;
    }

    private static List<?> rows(Object answer) {
        return answer instanceof List<?> list ? list : List.of();
    }
}
