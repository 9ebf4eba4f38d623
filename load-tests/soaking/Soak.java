import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Creates and deletes claims at a {@code claimstream up}, changes its nodes and kills it at times. The checker consumes
 * the topics meanwhile. Uses the JDK alone.
 */
public final class Soak implements AutoCloseable {
    private static final int TICK_MS = 250;
    private static final int TIMES_MAX = 2;
    private static final String COLOR_RESET = "\033[0m"; // printed by Maven, which load-tests/check asks for Java
    private static final String COLUMNS = "%6s %8s %8s %9s %6s %9s %9s %9s %9s %7s %7s";
    private static final String HEAD = COLUMNS.formatted(
            "second",
            "created",
            "deleted",
            "existing",
            "kills",
            "start",
            "apply50",
            "apply99",
            "slowest",
            "RSS",
            "disk");

    private final SoakOptions options;
    private final Random random;
    private final List<String> findings = new ArrayList<>();
    private final SoakServer server;
    private final SoakNodes nodes;
    private final SoakClaims claims;
    private final Path report;
    private Optional<Process> checker = Optional.empty();

    private Soak(SoakOptions options) {
        this.options = options;
        this.random = new Random(options.seed());
        this.server = new SoakServer(options.root().resolve("claimstream"), options.data());
        this.nodes = new SoakNodes(server, random, options.nodes());
        this.claims = new SoakClaims(server, random, nodes.deviceCount());
        this.report = options.data().resolveSibling("checker.out");
    }

    public static void main(String[] args) {
        SoakOptions options;
        try {
            options = SoakOptions.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println("soak: " + e.getMessage() + "; see --help");
            System.exit(1);
            return;
        }
        int exitCode = 1;
        try (var soak = new Soak(options)) {
            exitCode = soak.run();
        } catch (IOException | IllegalStateException e) {
            System.err.println("soak: the test failed to complete: " + e.getMessage());
        } catch (InterruptedException e) {
            System.err.println("soak: interrupted");
        }
        System.out.flush();
        System.exit(exitCode);
    }

    private int run() throws IOException, InterruptedException {
        System.out.printf(
                "seed %d: %d nodes of %d devices, %d claims in %d s, %s%n",
                options.seed(),
                options.nodes(),
                SoakNodes.DEVICES_PER_NODE,
                options.claims(),
                options.seconds(),
                options.killEvery() > 0 ? "a kill every %d s".formatted(options.killEvery()) : "no kills");
        server.start();
        server.apply(SoakClaims.classAndTemplates() + nodes.manifests());
        startChecker();
        System.out.println(HEAD);
        churn();
        deleteAll();
        int checkerExitCode = stop();
        System.out.println("\nreport of the checker:");
        try (Stream<String> lines = Files.lines(report)) {
            lines.map(line -> line.replace(COLOR_RESET, "")).forEach(System.out::println);
        }
        return result(checkerExitCode);
    }

    private void startChecker() throws IOException {
        String program = options.root().resolve("load-tests/check").toString();
        String data = options.data().toString();
        checker = Optional.of(new ProcessBuilder(program, "--data", data, "--patience", "120", "--at-rest")
                .redirectErrorStream(true)
                .redirectOutput(report.toFile())
                .start());
    }

    private int result(int checkerExitCode) {
        switch (checkerExitCode) {
            case 0 -> {}
            case 2 -> findings.add("the checker reports violations");
            default -> findings.add("the check is incomplete: exit code %d of the checker".formatted(checkerExitCode));
        }
        System.out.println();
        findings.forEach(each -> System.out.println("FOUND: " + each));
        System.out.println(findings.isEmpty() ? "no finding" : "findings: %d".formatted(findings.size()));
        return findings.isEmpty() ? 0 : 2;
    }

    /** Runs until the requested number of claims was created, or the rate is missed by too much. */
    private void churn() throws IOException, InterruptedException {
        long begin = System.nanoTime();
        long nextKill = options.killEvery();
        long nextLine = 60;
        double seconds = 0;
        while (claims.created() < options.claims() && seconds < TIMES_MAX * options.seconds()) {
            if (seconds > nextLine) {
                printLine(seconds);
                nextLine += 60;
            }
            long due = Math.min(options.claims(), Math.round(options.claims() * seconds / options.seconds()));
            claims.create(due - claims.created());
            claims.deleteExcess();
            if (random.nextInt(12) == 0) {
                nodes.change();
            }
            seconds = (System.nanoTime() - begin) / 1e9;
            if (options.killEvery() > 0 && seconds > nextKill) {
                server.killAndStart();
                nextKill += options.killEvery();
            }
            if (claims.created() >= due && claims.created() < options.claims()) {
                TimeUnit.MILLISECONDS.sleep(TICK_MS);
            }
        }
        printLine(seconds);
        if (claims.created() < options.claims()) {
            findings.add("only %d of %d claims were created within %.0f s"
                    .formatted(claims.created(), options.claims(), seconds));
        }
    }

    /** Restores all nodes and deletes all claims. Every device must be free then. */
    private void deleteAll() throws InterruptedException {
        nodes.restore();
        claims.deleteAll();
        long limitSeconds = SoakServer.READY_WITHIN.toSeconds();
        long end = System.nanoTime() + SoakServer.READY_WITHIN.toNanos();
        long devices = nodes.deviceCount();
        long free = 0;
        long existing = 1;
        while (System.nanoTime() < end && (free != devices || existing > 0)) {
            free = server.count("/api/v1/devices?state=free");
            existing = server.count("/api/v1/claims");
            TimeUnit.MILLISECONDS.sleep(500);
        }
        System.out.printf(
                "end: %d claims exist, %d of %d devices are free, %d changes of nodes%n",
                existing, free, devices, nodes.changes());
        if (existing > 0) {
            findings.add("%d claims exist %d s after all were deleted".formatted(existing, limitSeconds));
        }
        if (free != devices) {
            findings.add("%d of %d devices are not free %d s after all claims were deleted"
                    .formatted(devices - free, devices, limitSeconds));
        }
    }

    /** Stops the checker at the end of the topics, and then the server. Returns the exit code of the checker. */
    private int stop() throws InterruptedException {
        TimeUnit.SECONDS.sleep(5); // the last records reach every topic
        Process ending = checker.orElseThrow();
        ending.destroy();
        int exitCode = ending.waitFor();
        if (!server.stop()) {
            findings.add("claimstream up did not end within a minute after SIGTERM");
        }
        return exitCode;
    }

    @Override
    public void close() {
        server.close();
        checker.ifPresent(Process::destroyForcibly);
    }

    private void printLine(double seconds) throws IOException {
        List<Long> applyMs = claims.takeApplyMs();
        System.out.println(COLUMNS.formatted(
                "%.0f".formatted(seconds),
                claims.created(),
                claims.deleted(),
                claims.existing(),
                server.kills(),
                "%.1f s".formatted(server.startSeconds()),
                quantile(applyMs, 0.5) + " ms",
                quantile(applyMs, 0.99) + " ms",
                quantile(applyMs, 1) + " ms",
                server.residentMb() + " MB",
                server.diskMb() + " MB"));
        System.out.flush();
    }

    private static long quantile(List<Long> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1, share * sorted.size()));
    }
}
