import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Creates and deletes claims at a {@code claimstream up}, changes its nodes and kills it at times. The checker consumes the topics meanwhile. Uses the JDK alone.
 */
public final class Soak implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(250);
    private static final Duration START_WITHIN = Duration.ofMinutes(5);
    private static final int TIMES_MAX = 2;
    private static final int AT_ONCE = 200;
    private static final int DEVICES_PER_NODE = 8;
    private static final int[] SIZES = {1, 1, 1, 2, 2, 4, 8};
    private static final double MEAN_SIZE = Arrays.stream(SIZES).average().orElseThrow();
    private static final String HEAD = "%6s %8s %8s %9s %6s %9s %9s %9s %9s %7s %7s"
            .formatted("second", "made", "gone", "standing", "kills", "start", "apply50", "apply99", "slowest", "RSS", "disk");

    private final SoakOptions options;
    private final Random random;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();
    private final List<String> standing = new ArrayList<>();
    private final List<Long> applyMs = new ArrayList<>();
    private final List<String> findings = new ArrayList<>();
    private final SoakNode[] nodes;
    private Process up;
    private Process checker;
    private URI console = URI.create("http://127.0.0.1");
    private long made;
    private long gone;
    private int kills;
    private double startSeconds;
    private int changes;

    private Soak(SoakOptions options) {
        this.options = options;
        this.random = new Random(options.seed);
        this.nodes = IntStream.range(0, options.nodes).mapToObj(SoakNode::new).toArray(SoakNode[]::new);
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        var options = SoakOptions.of(args);
        int exitCode;
        try (var soak = new Soak(options)) {
            exitCode = soak.run();
        }
        System.exit(exitCode);
    }

    private int run() throws IOException, InterruptedException {
        System.out.printf("seed %d, %d nodes of %d devices, %d claims due in %d s, killed every %d s%n", options.seed, options.nodes, DEVICES_PER_NODE, options.claims, options.seconds, options.killEvery);
        start();
        apply(Stream.concat(Stream.of(classAndTemplates()), Arrays.stream(nodes).map(SoakNode::manifest)).collect(Collectors.joining()));
        Path checked = options.data.resolveSibling("checker.out");
        checker = new ProcessBuilder(options.root.resolve("load-tests/check").toString(), "--data", options.data.toString(), "--patience", "120", "--at-rest")
                .redirectErrorStream(true)
                .redirectOutput(checked.toFile())
                .start();
        System.out.println(HEAD);
        churn();
        quiet();
        int checkedCode = finish();
        System.out.println("\nwhat the checker says:");
        try (Stream<String> lines = Files.lines(checked)) {
            lines.forEach(System.out::println);
        }
        return verdict(checkedCode);
    }

    private int verdict(int checkedCode) {
        switch (checkedCode) {
            case 0 -> {}
            case 2 -> findings.add("the checker found something");
            default -> findings.add("the checker could not check, and ended with %d".formatted(checkedCode));
        }
        System.out.println();
        findings.forEach(each -> System.out.println("FOUND: " + each));
        System.out.println(findings.isEmpty() ? "nothing was found" : "%d found".formatted(findings.size()));
        return findings.isEmpty() ? 0 : 2;
    }

    /** Runs until the requested number of claims was created, or the rate is missed by too much. */
    private void churn() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long nextKill = options.killEvery;
        long nextLine = 60;
        double seconds = 0;
        while (made < options.claims && seconds < TIMES_MAX * options.seconds) {
            long due = Math.min(options.claims, Math.round(options.claims * seconds / options.seconds));
            more((int) Math.min(AT_ONCE, due - made));
            fewer();
            if (random.nextInt(12) == 0) {
                changeANode();
            }
            seconds = (System.nanoTime() - begin) / 1e9;
            if (options.killEvery > 0 && seconds > nextKill) {
                killAndStart();
                nextKill += options.killEvery;
            }
            if (seconds > nextLine) {
                line(seconds);
                nextLine += 60;
            }
            if (made >= due && made < options.claims) {
                TimeUnit.MILLISECONDS.sleep(TICK.toMillis());
            }
        }
        line(seconds);
        if (made < options.claims) {
            findings.add("%d of %d claims were made before the time was up".formatted(made, options.claims));
        }
    }

    /** Repairs all nodes and deletes all claims. Every device must be free then. */
    private void quiet() throws InterruptedException {
        for (SoakNode node : nodes) {
            apply(node.restored());
        }
        post("/api/v1/delete", taintRule());
        while (!standing.isEmpty()) {
            fewer(Math.min(AT_ONCE, standing.size()));
        }
        long end = System.nanoTime() + START_WITHIN.toNanos();
        long all = (long) options.nodes * DEVICES_PER_NODE;
        long free = 0;
        long left = 1;
        while (System.nanoTime() < end && (free != all || left > 0)) {
            free = count("/api/v1/devices?state=free");
            left = count("/api/v1/claims");
            TimeUnit.MILLISECONDS.sleep(500);
        }
        System.out.printf("in the end %d claims are left, %d of %d devices are free; %d changes of nodes%n", left, free, all, changes);
        if (left > 0) {
            findings.add("%d claims are left %d s after all were deleted".formatted(left, START_WITHIN.toSeconds()));
        }
        if (free != all) {
            findings.add("%d of %d devices are free %d s after all claims were deleted".formatted(free, all, START_WITHIN.toSeconds()));
        }
    }

    private int finish() throws InterruptedException {
        TimeUnit.SECONDS.sleep(5); // the last records reach every topic
        checker.destroy(); // it consumes to the end and checks that state
        int checkedCode = checker.waitFor();
        up.destroy();
        if (!up.waitFor(60, TimeUnit.SECONDS)) {
            findings.add("up did not end within a minute");
        }
        return checkedCode;
    }

    @Override
    public void close() {
        Stream.of(Optional.ofNullable(up), Optional.ofNullable(checker)).flatMap(Optional::stream).forEach(Process::destroyForcibly);
    }

    // ---- the process

    private void start() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Path out = options.data.resolveSibling("up.out");
        Files.createDirectories(options.data);
        Files.writeString(out, "");
        up = new ProcessBuilder(options.root.resolve("claimstream").toString(), "up", "--data", options.data.toString())
                .redirectOutput(out.toFile())
                .redirectError(options.data.resolveSibling("up.err").toFile())
                .start();
        while (!Files.readString(out).contains("Ctrl-C ends it")) {
            if (!up.isAlive() || System.nanoTime() - begin > START_WITHIN.toNanos()) {
                throw new IllegalStateException("it did not start: " + Files.readString(options.data.resolveSibling("up.err")));
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        startSeconds = (System.nanoTime() - begin) / 1e9;
        console = URI.create(field(Files.readString(options.data.resolve("endpoint.json")), "console"));
    }

    private static String field(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"([^\"]*)\"").matcher(json);
        if (!found.find()) {
            throw new IllegalStateException("no " + name + " in " + json);
        }
        return found.group(1);
    }

    private void killAndStart() throws IOException, InterruptedException {
        up.destroyForcibly().waitFor();
        kills++;
        start();
    }

    // ---- claims

    private void more(int count) throws InterruptedException {
        if (count > 0) {
            String manifests = IntStream.range(0, count).mapToObj(_ -> one()).collect(Collectors.joining());
            long begin = System.nanoTime();
            apply(manifests);
            applyMs.add((System.nanoTime() - begin) / 1_000_000);
        }
    }

    private String one() {
        int size = SIZES[random.nextInt(SIZES.length)];
        String manifest = random.nextInt(3) > 0 ? pod("p" + size + "-" + made, "resourceClaimTemplateName: take-" + size) : used("c" + size + "-" + made, size);
        made++;
        standing.add(manifest);
        return manifest;
    }

    /** Keeps more claims than fit, so that some are pending. */
    private void fewer() throws InterruptedException {
        int wanted = (int) (options.nodes * DEVICES_PER_NODE / MEAN_SIZE * 1.1);
        if (standing.size() > wanted) {
            fewer(Math.min(AT_ONCE, standing.size() - wanted));
        }
    }

    private void fewer(int count) throws InterruptedException {
        var going = new StringBuilder();
        for (int i = 0; i < count; i++) {
            int at = random.nextInt(standing.size());
            going.append(standing.get(at));
            standing.set(at, standing.getLast());
            standing.removeLast();
        }
        post("/api/v1/delete", going.toString());
        gone += count;
    }

    private static String pod(String name, String source) {
        return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: soak}\nspec: {containers: [{name: main, image: app}], resourceClaims: [{name: gpus, %s}]}\n"
                .formatted(name, source);
    }

    /** Creates a claim and a pod that uses it: a claim without a pod is not allocated. */
    private static String used(String name, int count) {
        return "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: %s, namespace: soak}\nspec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %d}}]}}\n"
                        .formatted(name, count)
                + pod(name, "resourceClaimName: " + name);
    }

    private static String classAndTemplates() {
        return "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu.example.com}\nspec: {selectors: [{cel: {expression: device.driver == \"gpu.example.com\"}}]}\n"
                + IntStream.of(1, 2, 4, 8)
                        .mapToObj(
                                "---\napiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: take-%1$d, namespace: soak}\nspec: {spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.example.com, count: %1$d}}]}}}\n"
                                        ::formatted)
                        .collect(Collectors.joining());
    }

    // ---- nodes

    /** A node that can lose a device, or be not ready. */
    private static final class SoakNode {
        private final int number;
        private long generation = 1;
        private int missing = -1;
        private boolean isReady = true;

        SoakNode(int number) {
            this.number = number;
        }

        String manifest() {
            String devices = IntStream.range(0, DEVICES_PER_NODE).filter(device -> device != missing).mapToObj("{name: gpu-%d}"::formatted).collect(Collectors.joining(", "));
            return """
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata: {name: node-%1$d}
                    status: {conditions: [{type: Ready, status: "%2$s"}]}
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceSlice
                    metadata: {name: node-%1$d-gpus}
                    spec:
                      driver: gpu.example.com
                      nodeName: node-%1$d
                      pool: {name: node-%1$d, generation: %3$d, resourceSliceCount: 1}
                      devices: [%4$s]
                    """.formatted(number, isReady ? "True" : "False", generation, devices);
        }

        String changed(Random random) {
            if (random.nextBoolean()) {
                isReady = !isReady;
            } else {
                missing = missing < 0 ? random.nextInt(DEVICES_PER_NODE) : -1;
                generation++;
            }
            return manifest();
        }

        String restored() {
            isReady = true;
            if (missing >= 0) {
                missing = -1;
                generation++;
            }
            return manifest();
        }
    }

    private void changeANode() throws InterruptedException {
        changes++;
        switch (random.nextInt(6)) {
            case 0 -> apply(taintRule());
            case 1 -> post("/api/v1/delete", taintRule());
            default -> apply(nodes[random.nextInt(nodes.length)].changed(random));
        }
    }

    private static String taintRule() {
        return "---\napiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: soak}\nspec: {deviceSelector: {driver: gpu.example.com, pool: node-0}, taint: {key: example.com/soak, effect: NoSchedule}}\n";
    }

    // ---- the console

    private void apply(String manifests) throws InterruptedException {
        String said = post("/api/v1/apply", manifests);
        if (said.contains("\"rejected\"") || said.contains("\"error\"")) {
            throw new IllegalStateException("it rejects a valid object: " + said);
        }
    }

    /** Retries until the console responds. */
    private String post(String path, String manifests) throws InterruptedException {
        return say(HttpRequest.newBuilder(console.resolve(path)).header("Content-Type", "application/yaml").POST(BodyPublishers.ofString(manifests)));
    }

    private long count(String path) throws InterruptedException {
        return say(HttpRequest.newBuilder(console.resolve(path)).header("Accept", "application/x-ndjson").GET()).lines().count();
    }

    private String say(HttpRequest.Builder request) throws InterruptedException {
        long end = System.nanoTime() + START_WITHIN.toNanos();
        while (true) {
            String why;
            try {
                HttpResponse<String> said = client.send(request.timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofString());
                if (said.statusCode() == 200) {
                    return said.body();
                }
                why = said.body();
            } catch (IOException e) {
                why = e.toString();
            }
            if (System.nanoTime() > end || !up.isAlive()) {
                throw new IllegalStateException("the console does not respond: " + why);
            }
            TimeUnit.MILLISECONDS.sleep(200);
        }
    }

    // ---- figures

    private void line(double seconds) throws IOException {
        applyMs.sort(null);
        System.out.println("%6.0f %8d %8d %9d %6d %7.1f s %6d ms %6d ms %6d ms %4d MB %4d MB"
                .formatted(seconds, made, gone, standing.size(), kills, startSeconds, applyAt(0.5), applyAt(0.99), applyAt(1), residentMb(), diskMb()));
        System.out.flush();
        applyMs.clear();
    }

    private long applyAt(double share) {
        return applyMs.isEmpty() ? 0 : applyMs.get((int) Math.min(applyMs.size() - 1, share * applyMs.size()));
    }

    private long residentMb() {
        try (Stream<String> lines = Files.lines(Path.of("/proc", Long.toString(up.pid()), "status"))) {
            return lines.filter(line -> line.startsWith("VmRSS")).mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10).findFirst().orElse(0);
        } catch (IOException e) {
            return 0; // not on this system
        }
    }

    private long diskMb() throws IOException {
        try (Stream<Path> files = Files.walk(options.data)) {
            return files.mapToLong(file -> file.toFile().length()).sum() >> 20;
        } catch (java.io.UncheckedIOException e) {
            return 0; // a file was deleted during the walk
        }
    }

    private record SoakOptions(Path root, Path data, long seconds, long claims, int nodes, long killEvery, long seed) {
        static SoakOptions of(String[] args) {
            List<String> all = List.of(args);
            return new SoakOptions(
                    Path.of(text(all, "--root", ".")),
                    Path.of(text(all, "--data", "soak/data")),
                    number(all, "--seconds", 900),
                    number(all, "--claims", 100_000),
                    (int) number(all, "--nodes", 100),
                    number(all, "--kill-every", 120),
                    number(all, "--seed", System.nanoTime() & 0xffff));
        }

        private static String text(List<String> all, String name, String other) {
            int at = all.indexOf(name);
            return at < 0 || at + 1 >= all.size() ? other : all.get(at + 1);
        }

        private static long number(List<String> all, String name, long other) {
            return Long.parseLong(text(all, name, Long.toString(other)).toLowerCase(Locale.ROOT));
        }
    }
}
