package dev.claimstream.load.services;

import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.load.services.ServiceInstance.EndSignal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * Causes failures in an installation with three broker processes and two processes of each service, while pods are
 * created at a constant rate.
 */
final class FailureRun implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(4);
    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final List<String> OPTIONS = List.of("-Xmx512m");
    private static final String AGENT = FailureSetup.AGENT;
    private static final int ENDED_BROKER = 2;
    private static final int FULL_BROKER = 3;
    private static final String HOUR = "+3600s";

    private final FailureSetup setup;
    private final ServiceInstallation installation;
    private final BrokerProcesses brokers;
    private final Optional<FullDisk> disk;
    private final NetworkCut network;
    private final String networkNeeds;
    private final ClaimTraffic traffic;
    private final ConflictCounter conflictCounter;
    private final Optional<ControlPlaneUpgrade> upgrade;

    private FailureRun(
            FailureSetup setup,
            ServiceInstallation installation,
            BrokerProcesses brokers,
            Optional<FullDisk> disk,
            String networkNeeds,
            ClaimTraffic traffic,
            Optional<ControlPlaneUpgrade> upgrade) {
        this.setup = setup;
        this.installation = installation;
        this.brokers = brokers;
        this.disk = disk;
        this.network = new NetworkCut(brokers.ports());
        this.networkNeeds = networkNeeds;
        this.traffic = traffic;
        this.conflictCounter = new ConflictCounter(installation.plane());
        this.upgrade = upgrade;
    }

    /**
     * Times in seconds, and counts of claims.
     *
     * @param longestWait longest time from the creation of a claim to its write
     * @param p50 median of that time
     * @param p99 the time that 99 % of the claims do not exceed
     * @param recovery from the end of the failure until every claim that was created before it is written
     * @param claims claims created until then
     * @param lost claims that were not written in time
     * @param conflicts responses 409 to changes of claims, of any client
     */
    record FailureResult(
            double longestWait, double p50, double p99, double recovery, int claims, long lost, long conflicts) {}

    /**
     * Starts everything, and waits until pods are served. The control plane starts with the older release, if it is
     * built and will be upgraded.
     */
    static FailureRun start(FailureSetup setup) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("claimstream-failures");
        // In the order in which they can be closed: the installation deletes the folder of the others.
        var open = new ArrayDeque<Closer>();
        try {
            Optional<FullDisk> disk =
                    setup.failures().contains(InjectedFailure.DISK_FULL) ? disk(folder) : Optional.empty();
            disk.ifPresent(each -> open.addFirst(each::close));
            var brokers = BrokerProcesses.start(folder, setup.brokers(), setup.isEncrypted());
            open.addFirst(brokers::close);
            boolean isUpgraded = setup.failures().contains(InjectedFailure.CONTROL_PLANE_UPGRADED);
            Optional<ControlPlaneUpgrade> upgrade = isUpgraded && ControlPlaneUpgrade.isPossible()
                    ? Optional.of(ControlPlaneUpgrade.prepare(folder))
                    : Optional.empty();
            ControlPlaneProgram program = upgrade.map(ControlPlaneUpgrade::program)
                    .or(ControlPlaneProgram::find)
                    .orElseThrow();
            var installation = ServiceInstallation.start(
                    folder, program, brokers, setup.nodes(), FailureSetup.DEVICES_PER_NODE, 1);
            open.addLast(installation::close);
            String networkNeeds = NetworkCut.missing();
            for (String name : setup.services()) {
                ServiceInstance process = startService(installation, name, ServiceJars.built(), networkNeeds);
                if (!setup.isSmall()) {
                    var unused = process.awaitReady();
                }
            }
            for (String name : setup.services()) {
                var unused = installation.get(name).awaitReady();
            }
            var traffic = new ClaimTraffic(installation, setup.rate());
            open.addFirst(traffic::close);
            var run = new FailureRun(setup, installation, brokers, disk, networkNeeds, traffic, upgrade);
            run.settle();
            return run;
        } catch (IOException | InterruptedException | RuntimeException e) {
            for (Closer each : open) {
                each.close();
            }
            throw e;
        }
    }

    /** Closes a broker, an installation or another resource of the run. */
    private interface Closer {
        void close() throws IOException;
    }

    private static Optional<FullDisk> disk(Path folder) {
        try {
            return Optional.of(FullDisk.mount(BrokerProcesses.data(folder, FULL_BROKER)));
        } catch (IOException e) {
            System.err.println(e.getMessage());
            return Optional.empty();
        }
    }

    /** Starts a process. The first allocator has the group whose packets can be dropped. */
    private static ServiceInstance startService(
            ServiceInstallation installation, String name, ServiceJars jars, String networkNeeds) throws IOException {
        boolean canBeCut = name.equals("allocator-0") && networkNeeds.isEmpty();
        return installation.start(name, jars, OPTIONS, canBeCut ? NetworkCut.prefix() : List.of(), Map.of());
    }

    /** Returns what this machine lacks for a failure; empty if it can be caused. */
    String missing(InjectedFailure failure) {
        if (!setup.permits(failure)) {
            return "more than one broker and one process of each service: leave --small out";
        }
        if (traffic.count() + setup.claims(failure) > setup.devices()) {
            return "more free devices: raise --nodes";
        }
        return switch (failure) {
            case DISK_FULL -> disk.isPresent() ? "" : "root, to mount a file system";
            case NETWORK_CUT -> networkNeeds;
            case CLOCK_AHEAD -> fakeClock().isPresent() ? "" : "libfaketime (Debian's package faketime)";
            case CONTROL_PLANE_UPGRADED -> upgrade.isPresent() ? "" : ControlPlaneUpgrade.REMEDY;
            case TWO_VERSIONS -> setup.other().isPresent() ? "" : "another version: --other-version COMMIT";
            default -> "";
        };
    }

    /** Causes a failure, ends it, and waits until every claim from before its end is written. */
    FailureResult measure(InjectedFailure failure) throws IOException, InterruptedException {
        long from = System.nanoTime() - BEFORE.toNanos();
        int before = traffic.count();
        var unusedCount = conflictCounter.next();
        perform(failure);
        long ended = System.nanoTime();
        awaitAtMost(() -> traffic.unwrittenBefore(ended) == 0);
        long lost = traffic.unwrittenBefore(ended);
        long last = traffic.lastWriteBefore(ended).orElse(ended);
        if (lost == 0) {
            settle();
        }
        return new FailureResult(
                seconds(traffic.longestWait(from)),
                seconds(traffic.waitPercentile(from, 50)),
                seconds(traffic.waitPercentile(from, 99)),
                seconds(Math.max(0, last - ended)),
                traffic.count() - before,
                lost,
                conflictCounter.next());
    }

    private void perform(InjectedFailure failure) throws IOException, InterruptedException {
        switch (failure) {
            case NONE -> sleep(failure);
            case ROLLING_RESTART -> restart(setup.services(), ServiceJars.built());
            case ALLOCATOR_KILLED -> killForAWhile(active(ServiceRole.CELL, setup.allocators()), failure);
            case WRITER_KILLED -> killForAWhile(active(ServiceRole.WRITER, setup.writers()), failure);
            case WATCHER_KILLED -> killForAWhile("watcher-0", failure);
            case BROKER_KILLED -> killForAWhile(ENDED_BROKER, failure);
            case CONTROLLER_KILLED -> killForAWhile(BrokerProcesses.CONTROLLER, failure);
            case REGISTRY_DOWN -> stopRegistry(failure);
            case DISK_FULL -> fillDisk(failure);
            case NETWORK_CUT -> cutNetwork(failure);
            case CLOCK_AHEAD -> advanceClock(failure);
            case CONTROL_PLANE_UPGRADED -> upgrade.orElseThrow().perform(installation.plane());
            case TWO_VERSIONS -> mixVersions(failure);
        }
    }

    private void killForAWhile(String name, InjectedFailure failure) throws IOException, InterruptedException {
        var unused = installation.get(name).end(EndSignal.KILL);
        sleep(failure);
        restart(name, ServiceJars.built());
    }

    private void killForAWhile(int broker, InjectedFailure failure) throws IOException, InterruptedException {
        brokers.kill(broker);
        sleep(failure);
        brokers.restart(broker);
    }

    private void restart(String name, ServiceJars jars) throws IOException, InterruptedException {
        installation.get(name).awaitEnd();
        var unused = startService(installation, name, jars, networkNeeds).awaitReady();
    }

    /** Ends each of these processes in order, and starts it again with these jars before the next one ends. */
    private void restart(List<String> names, ServiceJars jars) throws IOException, InterruptedException {
        for (String name : names) {
            var unused = installation.get(name).end(EndSignal.TERMINATE);
            restart(name, jars);
        }
    }

    /** At each change of the allocators, one process of each version runs for a while. */
    private void mixVersions(InjectedFailure failure) throws IOException, InterruptedException {
        ServiceJars other = setup.other().orElseThrow();
        restart(setup.servicesWithoutAllocators(), other);
        sleep(failure);
        restart(setup.allocators(), other);
        restart(setup.servicesWithoutAllocators(), ServiceJars.built());
        sleep(failure);
        restart(setup.allocators(), ServiceJars.built());
    }

    /** A service that starts meanwhile needs schemas, so it has to wait for the registry. */
    private void stopRegistry(InjectedFailure failure) throws IOException, InterruptedException {
        String active = active(ServiceRole.WRITER, setup.writers());
        String standby = setup.writers().stream()
                .filter(name -> !name.equals(active))
                .findFirst()
                .orElseThrow();
        installation.stopRegistry();
        var unusedEnd = installation.get(standby).end(EndSignal.TERMINATE);
        installation.get(standby).awaitEnd();
        ServiceInstance started = startService(installation, standby, ServiceJars.built(), networkNeeds);
        sleep(failure);
        installation.startRegistry();
        var unused = started.awaitReady();
    }

    /** Where the broker continues in spite of the full disk, it is not restarted. */
    private void fillDisk(InjectedFailure failure) throws IOException, InterruptedException {
        disk.orElseThrow().fill();
        sleep(failure);
        disk.orElseThrow().free();
        if (!brokers.isAlive(FULL_BROKER)) {
            brokers.restart(FULL_BROKER);
        }
    }

    /** The first allocator gets the cell by a restart of the other one, if it does not have it. */
    private void cutNetwork(InjectedFailure failure) throws IOException, InterruptedException {
        String first = setup.allocators().getFirst();
        if (!active(ServiceRole.CELL, setup.allocators()).equals(first)) {
            var unused = installation.get(setup.allocators().getLast()).end(EndSignal.KILL);
            await(
                    "cell of " + first,
                    () -> active(ServiceRole.CELL, setup.allocators()).equals(first));
            restart(setup.allocators().getLast(), ServiceJars.built());
            settle();
        }
        network.cut();
        sleep(failure);
        network.end();
    }

    /**
     * The node is not reported as silent meanwhile, and is reported when its agent ends after the clock has returned.
     */
    private void advanceClock(InjectedFailure failure) throws IOException, InterruptedException {
        String library = fakeClock().orElseThrow().toString();
        endAgent(EndSignal.TERMINATE);
        var unused = installation
                .start(
                        AGENT,
                        OPTIONS,
                        List.of(),
                        Map.of("LD_PRELOAD", library, "FAKETIME", HOUR, "FAKETIME_DONT_FAKE_MONOTONIC", "1"))
                .awaitReady();
        TimeUnit.MILLISECONDS.sleep(ServiceInstallation.LIVENESS_TIMEOUT.toMillis());
        long from = System.nanoTime();
        sleep(failure);
        if (traffic.livenessAfter(AGENT, from).isPresent()) {
            throw new IOException("the node whose clock is ahead was reported as silent");
        }
        endAgent(EndSignal.TERMINATE);
        var unusedAgain = installation.start(AGENT, OPTIONS).awaitReady();
        TimeUnit.MILLISECONDS.sleep(ServiceInstallation.LIVENESS_TIMEOUT.toMillis());
        long at = System.nanoTime();
        endAgent(EndSignal.KILL);
        await("silent node", () -> traffic.livenessAfter(AGENT, at).isPresent());
        var unusedLast = installation.start(AGENT, OPTIONS).awaitReady();
    }

    private void endAgent(EndSignal signal) throws InterruptedException {
        var unused = installation.get(AGENT).end(signal);
        installation.get(AGENT).awaitEnd();
    }

    private static Optional<Path> fakeClock() {
        Path libraries = Path.of("/usr/lib");
        try (Stream<Path> folders = Files.list(libraries)) {
            return folders.map(folder -> folder.resolve("faketime").resolve("libfaketime.so.1"))
                    .filter(Files::exists)
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String active(ServiceRole role, List<String> names) {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        try {
            while (true) {
                Optional<String> found = role.activeOf(installation.kafka(), names);
                if (found.isPresent()) {
                    return found.get();
                }
                if (System.nanoTime() > limit) {
                    throw new IllegalStateException("%s: no process has its partition".formatted(role.text()));
                }
                TimeUnit.MILLISECONDS.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Waits until a claim that is created a second later is written. */
    private void settle() throws InterruptedException {
        long later = System.nanoTime() + BEFORE.toNanos();
        await("claims are written", () -> traffic.writeAfter(later).isPresent());
    }

    private static void await(String what, BooleanSupplier condition) throws InterruptedException {
        if (!awaitAtMost(condition)) {
            throw new IllegalStateException("%s: not within %s".formatted(what, PATIENCE));
        }
    }

    private static boolean awaitAtMost(BooleanSupplier condition) throws InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > limit) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return true;
    }

    private void sleep(InjectedFailure failure) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(setup.lasts(failure).toMillis());
    }

    /** Returns a line for each device that was allocated twice, and each claim that was allocated again. */
    List<String> conflicts() {
        return traffic.conflicts();
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    @Override
    public void close() throws IOException {
        network.close();
        traffic.close();
        brokers.close();
        if (disk.isPresent()) {
            disk.get().close();
        }
        installation.close();
    }
}
