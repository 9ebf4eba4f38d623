import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Changes pods, claims, nodes and devices while {@code claimstream up} and the parts of the cluster are killed and
 * frozen. Pauses at times to test whether every item that fits is allocated. The checker of the test bed watches the
 * cluster meanwhile. Uses the JDK alone.
 */
public final class SoakKubernetes implements AutoCloseable {
    private static final int TICK_MS = 200;
    private static final int AT_ONCE = 20;
    private static final int SHOWN_MAX = 5;
    private static final double[] DEMANDS = {0.4, 0.8, 0.95, 1.3}; // of all devices
    private static final String HEAD = "%6s %7s %7s %8s %6s %6s %6s %5s %5s %5s %5s %5s %5s %6s %8s %9s %9s %9s %7s"
            .formatted(
                    "second",
                    "created",
                    "deleted",
                    "existing",
                    "bound",
                    "gated",
                    "claims",
                    "up",
                    "srv",
                    "ctl",
                    "sched",
                    "etcd",
                    "kubel",
                    "frozen",
                    "start",
                    "bound50",
                    "bound99",
                    "slowest",
                    "RSS");

    private final Options options;
    private final Random random;
    private final List<String> findings = Collections.synchronizedList(new ArrayList<>());
    private final Plane plane;
    private final UpProcess up;
    private final Faults faults;
    private final Pods pods;
    private final Fleet fleet;
    private final PodWorkload workload;
    private final RecordedDevices recorded;
    private final long begin = System.nanoTime();
    private volatile Optional<Throwable> failure = Optional.empty();
    private double demand = DEMANDS[1];
    private double duePods; // fraction of a pod that is due
    private double longestPause;
    private int pauses;
    private int ignoredPods;

    private SoakKubernetes(Options options) throws IOException {
        this.options = options;
        random = new Random(options.seed());
        plane = new Plane(
                options.root().resolve("platform/testbed/control-plane/target/control-plane"),
                options.folder().resolve("plane"));
        up = new UpProcess(options.root().resolve("claimstream"), options.folder(), plane.startProxy(options.seed()));
        faults = new Faults(plane, up, options.faultEvery(), this::reportFinding, this::fail);
        var api = new Api(plane.kubeconfig("admin"));
        pods = new Pods(api, PodWorkload.NAMESPACE);
        fleet = new Fleet(api, random, options.nodes(), options.devices());
        workload = new PodWorkload(api, random, pods);
        recorded = new RecordedDevices(options.root().resolve("claimstream"), options.folder(), api);
    }

    public static void main(String[] args) {
        Options options;
        try {
            options = Options.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println("soak-kubernetes: " + e.getMessage() + "; see --help");
            System.exit(1);
            return;
        }
        int exitCode = 1;
        try (var soak = new SoakKubernetes(options)) {
            // after a signal no process may remain
            Runtime.getRuntime().addShutdownHook(new Thread(soak::close));
            exitCode = soak.run();
        } catch (IOException | RuntimeException e) {
            System.err.println("soak-kubernetes: the test failed to complete: " + e);
        } catch (InterruptedException e) {
            System.err.println("soak-kubernetes: interrupted");
        }
        System.out.flush();
        System.exit(exitCode);
    }

    private int run() throws IOException, InterruptedException {
        System.out.printf(
                "seed %d: %d nodes of %d devices, %d s, %.1f pods/s, faults of the cluster and of up every %d s on"
                        + " average, outages of %d s, a pause every %d s%n",
                options.seed(),
                options.nodes(),
                options.devices(),
                options.seconds(),
                options.rate(),
                options.faultEvery(),
                options.outage(),
                options.restEvery());
        Path policies = options.root().resolve("deploy/policies");
        plane.apply(policies, policies.resolve("one-process"));
        plane.startKubelet();
        fleet.install();
        workload.install();
        plane.startChecker(options.patience() + options.outage());
        pods.startWatch();
        if (!up.start()) {
            throw new IllegalStateException("claimstream up ended before it was ready: see " + up.log());
        }
        faults.start(options.seed(), options.seconds(), options.outage());
        System.out.println(HEAD);
        churn();
        compareWithHistory();
        deleteAll();
        return result();
    }

    private void reportFinding(String finding) {
        findings.add(finding);
        System.out.printf("%6.0f FOUND: %s%n", seconds(), finding);
    }

    private void fail(Throwable cause) {
        failure = Optional.of(cause);
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    // ---- actions

    private void churn() throws IOException, InterruptedException {
        double start = seconds();
        double nextRest = start + options.restEvery();
        double nextLine = start + 60;
        double last = start;
        while (seconds() - start < options.seconds()) {
            double now = seconds();
            duePods = Math.min(AT_ONCE, duePods + (now - last) * options.rate());
            last = now;
            tick();
            check();
            if (seconds() > nextRest) {
                checkAtRest();
                nextRest = seconds() + options.restEvery();
                last = seconds();
            }
            if (seconds() > nextLine) {
                printLine(seconds() - start);
                nextLine += 60;
            }
            TimeUnit.MILLISECONDS.sleep(TICK_MS);
        }
        checkAtRest();
        printLine(seconds() - start);
    }

    private void tick() throws InterruptedException {
        workload.prune();
        for (; duePods >= 1; duePods--) {
            workload.create();
        }
        if (random.nextInt(100) == 0) {
            demand = DEMANDS[random.nextInt(DEMANDS.length)];
        }
        workload.deleteDownTo((int) (fleet.devices() * demand));
        if (random.nextInt(3) == 0) {
            workload.deleteEnded(1);
        }
        if (random.nextInt(8) == 0) {
            fleet.change();
        }
    }

    private void check() {
        failure.ifPresent(cause -> {
            throw new IllegalStateException(cause);
        });
        if (!plane.isCheckerAlive()) {
            throw new IllegalStateException("the checker has ended");
        }
    }

    /** Ends all faults. Then every existing item fits and must be allocated. */
    private void checkAtRest() throws InterruptedException {
        faults.suspend();
        try {
            fleet.restoreAll();
            workload.prune();
            workload.deletePodsWithLargeCpu();
            // if the free devices exceed the number of pair groups by two, one group has a free pair
            workload.deleteDownTo(fleet.devices() - 2 * options.nodes() - 1);
            double start = seconds();
            while (!isEverythingAllocatedAndRunning()) {
                check();
                if (seconds() - start > options.patience()) {
                    deleteUnnamed();
                    reportNotRunning();
                    return;
                }
                TimeUnit.MILLISECONDS.sleep(500);
            }
            longestPause = Math.max(longestPause, seconds() - start);
            pauses++;
        } finally {
            faults.resume();
        }
    }

    /**
     * Deletes pods that the resourceclaim controller of 1.36 cannot complete. It applies only the claim names that it
     * has just found. If it was killed between two of them, each apply removes the other name, without an end, and the
     * pod cannot be scheduled.
     */
    private void deleteUnnamed() throws InterruptedException {
        for (Pods.WatchedPod pod : notRunning()) {
            if (!pod.isNamed()) {
                ignoredPods++;
                System.out.printf(
                        "%6.0f ignored: the controllers do not name the claims of pod %s%n", seconds(), pod.name());
                workload.deleteGroupOf(pod.uid());
            }
        }
        TimeUnit.SECONDS.sleep(5);
        workload.prune();
    }

    private boolean isEverythingAllocatedAndRunning() throws InterruptedException {
        workload.prune();
        workload.deleteEnded(Integer.MAX_VALUE); // the claim of an ended pod remains until the pod is deleted
        return notRunning().isEmpty() && workload.misallocatedClaims().isEmpty();
    }

    private List<Pods.WatchedPod> notRunning() {
        return pods.all().stream()
                .filter(pod -> pod.isActive() && !pod.phase().equals("Running"))
                .toList();
    }

    private void reportNotRunning() throws InterruptedException {
        for (Pods.WatchedPod pod : notRunning()) {
            reportFinding("after a pause of %d s, pod %s (%s) is not running: %s"
                    .formatted(
                            options.patience(),
                            pod.name(),
                            pod.uid(),
                            pod.isGated()
                                    ? "gated"
                                    : pod.isBound() ? "bound to " + pod.node() : "without gate, not bound"));
            explain("pods", pod.name());
        }
        for (String claim : workload.misallocatedClaims()) {
            reportFinding("after a pause of %d s, claim %s has no allocation although a pod uses it, or the reverse"
                    .formatted(options.patience(), claim));
            explain("claims", claim);
        }
    }

    private void explain(String kind, String name) throws InterruptedException {
        up.console("/api/v1/namespaces/%s/%s/%s/explanation".formatted(PodWorkload.NAMESPACE, kind, name), "text/plain")
                .ifPresent(text -> text.lines().limit(12).forEach(line -> System.out.println("        " + line)));
    }

    /** Compares the devices of every pod in the API server with the history. It retries, because pods end meanwhile. */
    private void compareWithHistory() throws IOException, InterruptedException {
        faults.suspend();
        double start = seconds();
        List<String> differences;
        do {
            check();
            TimeUnit.SECONDS.sleep(1);
            differences = recorded.differences();
        } while (!differences.isEmpty() && seconds() - start < options.patience());
        System.out.printf(
                "history: %d devices of claims equal those of the API server, %d claims differ%n",
                recorded.devices(), differences.size());
        differences.stream().limit(SHOWN_MAX).forEach(this::reportFinding);
    }

    /** Deletes everything. Every device must be free then. */
    private void deleteAll() throws InterruptedException {
        faults.suspend();
        fleet.restoreAll();
        workload.deleteAll();
        double start = seconds();
        int left;
        long free;
        do {
            check();
            TimeUnit.MILLISECONDS.sleep(500);
            left = pods.all().size() + workload.claims().size();
            free = freeDevices();
        } while ((left > 0 || free != fleet.devices()) && seconds() - start < options.patience());
        System.out.printf("end: %d pods and claims exist, %d of %d devices are free%n", left, free, fleet.devices());
        if (left > 0 || free != fleet.devices()) {
            reportFinding("%d pods and claims exist and %d devices are not free %d s after everything was deleted"
                    .formatted(left, fleet.devices() - free, options.patience()));
        }
    }

    private long freeDevices() throws InterruptedException {
        return up.console("/api/v1/devices?state=free", "application/x-ndjson")
                .map(text -> text.lines().filter(line -> !line.isBlank()).count())
                .orElse(-1L);
    }

    private int result() throws IOException, InterruptedException {
        List<String> checked = plane.finishCheck();
        RecordedDevices.RecordComparison all = recorded.compareAll(plane.holdings());
        System.out.printf(
                "history: of %d devices that the checker saw in claims, those of %d claims differ; it did not see %d"
                        + " claims of the history%n",
                all.seen(), all.differences().size(), all.unseen().size());
        all.differences().stream().limit(SHOWN_MAX).forEach(this::reportFinding);
        int status = up.end();
        if (status != 0) {
            reportFinding("claimstream up ended with %d after SIGTERM".formatted(status));
        }
        try (Stream<String> lines = Files.lines(up.log())) {
            lines.filter(line -> line.contains("another allocator has also allocated this device"))
                    .limit(SHOWN_MAX)
                    .forEach(this::reportFinding);
        }
        System.out.printf("%d changes of nodes; %s%n", fleet.changes(), faults.counts());
        if (!faults.neverKilled().isEmpty()) {
            System.out.printf(
                    "not killed, because the time was too short: %s%n", String.join(", ", faults.neverKilled()));
        }
        System.out.printf("faults between up and the API server: %s%n", plane.sendToProxy("counts"));
        System.out.printf("%d pods ignored, whose claims the controllers did not name%n", ignoredPods);
        System.out.printf("%d pauses, the longest time until every pod ran was %.1f s%n", pauses, longestPause);
        System.out.println("\nreport of the checker:");
        checked.forEach(System.out::println);
        boolean isFaultless = !checked.isEmpty() && checked.getLast().contains("\"faults\":{}");
        System.out.println(
                isFaultless && findings.isEmpty()
                        ? "\nno finding"
                        : "\nFOUND: %d by the checker, %d others"
                                .formatted(
                                        checked.stream()
                                                .filter(line -> line.contains("\"fault\":"))
                                                .count(),
                                        findings.size()));
        return isFaultless && findings.isEmpty() ? 0 : 2;
    }

    @Override
    public void close() {
        up.close();
        plane.close();
    }

    // ---- figures

    private void printLine(double second) {
        Collection<Pods.WatchedPod> all = pods.all();
        List<Long> ms = pods.takeBoundMs();
        System.out.println(
                "%6.0f %7d %7d %8d %6d %6d %6d %5d %5d %5d %5d %5d %5d %6d %6.1f s %6d ms %6d ms %6d ms %4d MB"
                        .formatted(
                                second,
                                workload.created(),
                                pods.deleted(),
                                all.size(),
                                all.stream().filter(Pods.WatchedPod::isBound).count(),
                                all.stream().filter(Pods.WatchedPod::isGated).count(),
                                workload.claimsCreated(),
                                faults.count("up ", "ed"),
                                faults.count("kube-apiserver", "killed"),
                                faults.count("kube-controller-manager", "killed"),
                                faults.count("kube-scheduler", "killed"),
                                faults.count("etcd", "killed"),
                                faults.count("kubelet", "killed"),
                                faults.count("", "frozen"),
                                up.startSeconds(),
                                at(ms, 0.5),
                                at(ms, 0.99),
                                at(ms, 1),
                                up.residentMb()));
        System.out.flush();
    }

    private static long at(List<Long> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.min(sorted.size() - 1, share * sorted.size()));
    }
}
