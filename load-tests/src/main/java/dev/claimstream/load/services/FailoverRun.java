package dev.claimstream.load.services;

import dev.claimstream.load.services.ServiceInstance.EndSignal;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Ends one process of a running installation after the other, and measures until its work continues. */
final class FailoverRun implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final Duration CONSOLE_WINDOW = Duration.ofSeconds(5);
    private static final int RATE = 4;
    private static final String AGENT = "agent-0";
    private static final List<String> ALLOCATORS = List.of("allocator-0", "allocator-1");
    private static final List<String> WRITERS = List.of("writer-0", "writer-1");
    private static final List<String> OTHERS = List.of("watcher-0", "watcher-1", "console-0", "console-1", AGENT);
    private static final List<String> OPTIONS = List.of("-Xmx512m");

    private final ServiceInstallation installation;
    private final ClaimTraffic traffic;
    private final int devices;

    private FailoverRun(ServiceInstallation installation, ClaimTraffic traffic, int devices) {
        this.installation = installation;
        this.traffic = traffic;
        this.devices = devices;
    }

    /**
     * Starts two processes of each service and an agent, those of the roles that follow the log, and pods at a constant
     * rate, and waits until these are served.
     */
    static FailoverRun start(int nodes, int devices, int cells, List<ServiceRole> roles)
            throws IOException, InterruptedException {
        var installation = ServiceInstallation.start(nodes, devices, cells);
        List<String> followers = roles.stream()
                .filter(ServiceRole::isFollower)
                .map(FailoverRun::onlyProcess)
                .toList();
        for (List<String> names : List.of(OTHERS, ALLOCATORS, WRITERS, followers)) {
            for (String name : names) {
                var unused = installation.start(name, OPTIONS).awaitReady();
            }
        }
        var run = new FailoverRun(installation, new ClaimTraffic(installation, RATE), nodes * devices);
        run.settle();
        return run;
    }

    /**
     * Times in seconds.
     *
     * @param work from the signal to the next work of the role
     * @param write from the signal to the next write of a claim that was created after it
     * @param longestWait longest time from the creation of a claim to its write
     * @param ready from the start of a new process to its readiness
     */
    record FailoverTimes(double work, double write, double longestWait, double ready) {}

    /** Ends the active process of a role, and starts it again when the work has continued. */
    FailoverTimes measure(ServiceRole role, EndSignal signal) throws IOException, InterruptedException {
        return switch (role) {
            case INTAKE, CELL, ROUTER -> endAllocatorOrWriter(active(role, ALLOCATORS), signal);
            case WRITER -> endAllocatorOrWriter(active(role, WRITERS), signal);
            case WATCHER -> endAllocatorOrWriter(lastStarted("watcher"), signal);
            case CONSOLE -> endConsole(signal);
            case LIVENESS -> endLiveness(signal);
            case AGENT -> endAgent(signal);
            case HISTORY, SIMULATOR, SHADOW, ARCHIVE -> endFollower(onlyProcess(role), signal);
            case CHECKPOINTS -> endCheckpoint(signal);
        };
    }

    private static String onlyProcess(ServiceRole role) {
        return role.text() + "-0";
    }

    private int turn;

    /** Returns one of two processes that both are active, in turn. */
    private String lastStarted(String service) {
        return service + "-" + (turn++ % 2);
    }

    private String active(ServiceRole role, List<String> names) throws InterruptedException {
        return await(role.text() + " has a member with its partition", () -> {
            try {
                return role.activeOf(installation.kafka(), names);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        });
    }

    private FailoverTimes endAllocatorOrWriter(String name, EndSignal signal) throws IOException, InterruptedException {
        long from = System.nanoTime() - BEFORE.toNanos();
        long at = installation.get(name).end(signal);
        long decision = await("decision", () -> boxed(traffic.decisionAfter(at)));
        long write = await("write", () -> boxed(traffic.writeAfter(at)));
        long served = settleAfter(write);
        double wait = seconds(traffic.longestWait(from));
        double ready = restart(name);
        settleAfter(served);
        return new FailoverTimes(seconds(decision - at), seconds(write - at), wait, ready);
    }

    private FailoverTimes endConsole(EndSignal signal) throws IOException, InterruptedException {
        long from = System.nanoTime();
        long at = installation.get("console-0").end(signal);
        long previous = from;
        long longest = 0;
        while (previous < at + CONSOLE_WINDOW.toNanos()) {
            if (answers(installation.answerPort("console-1"))) {
                long now = System.nanoTime();
                longest = Math.max(longest, now - previous);
                previous = now;
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        double ready = restart("console-0");
        return new FailoverTimes(seconds(longest), seconds(writeTime(at)), seconds(traffic.longestWait(at)), ready);
    }

    private long writeTime(long at) throws InterruptedException {
        return await("write", () -> boxed(traffic.writeAfter(at))) - at;
    }

    private boolean answers(int port) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/api/v1/nodes".formatted(port)))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return installation
                            .client()
                            .send(request, BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends the active liveness monitor and the agent at once, and waits until the node is silent. */
    private FailoverTimes endLiveness(EndSignal signal) throws IOException, InterruptedException {
        String name = active(ServiceRole.LIVENESS, ALLOCATORS);
        long at = installation.get(name).end(signal);
        installation.get(AGENT).end(EndSignal.KILL);
        long silent = await("silent node", () -> boxed(traffic.livenessAfter(AGENT, at)));
        double write = seconds(writeTime(at));
        double ready = restart(name);
        restartAgent();
        settle();
        return new FailoverTimes(seconds(silent - at), write, seconds(traffic.longestWait(at)), ready);
    }

    private FailoverTimes endAgent(EndSignal signal) throws IOException, InterruptedException {
        long at = installation.get(AGENT).end(signal);
        long silent = await("silent node", () -> boxed(traffic.livenessAfter(AGENT, at)));
        double ready = restartAgent();
        return new FailoverTimes(seconds(silent - at), seconds(writeTime(at)), seconds(traffic.longestWait(at)), ready);
    }

    /** Ends the only process of a service, and starts it again without delay, as a kubelet does. */
    private FailoverTimes endFollower(String name, EndSignal signal) throws IOException, InterruptedException {
        var followers = new FollowerServices(installation, traffic.allocatedDevice());
        long unused = followers.awaitWork(name);
        long at = installation.get(name).end(signal);
        double ready = restart(name);
        long work = followers.awaitWork(name);
        return new FailoverTimes(seconds(work - at), seconds(writeTime(at)), seconds(traffic.longestWait(at)), ready);
    }

    /** Ends a run that signs a checkpoint, and starts another one without delay. */
    private FailoverTimes endCheckpoint(EndSignal signal) throws IOException, InterruptedException {
        try (var store = CheckpointStore.start(Files.createTempDirectory(installation.folder(), "checkpoints"))) {
            ServiceInstance run = installation.startCheckpoint(OPTIONS, store);
            TimeUnit.MILLISECONDS.sleep(BEFORE.toMillis());
            long at = run.end(signal);
            run.awaitEnd();
            if (run.exitCode() == 0 || store.checkpoints() > 0) {
                throw new IOException("a checkpoint was signed within " + BEFORE + ": it cannot be interrupted");
            }
            Duration time =
                    installation.startCheckpoint(OPTIONS, store).awaitSuccess().time();
            double work = seconds(System.nanoTime() - at);
            if (store.checkpoints() != 1) {
                throw new IOException("%d checkpoints after the run, expected 1".formatted(store.checkpoints()));
            }
            return new FailoverTimes(
                    work, seconds(writeTime(at)), seconds(traffic.longestWait(at)), seconds(time.toNanos()));
        }
    }

    /** Starts the agent again, and returns the time until its node is no longer silent. */
    private double restartAgent() throws IOException, InterruptedException {
        installation.get(AGENT).awaitEnd();
        long at = System.nanoTime();
        var unused = installation.start(AGENT, OPTIONS);
        return seconds(await("live node", () -> boxed(traffic.livenessAfter(AGENT, at))) - at);
    }

    private double restart(String name) throws IOException, InterruptedException {
        installation.get(name).awaitEnd();
        return seconds(installation.start(name, OPTIONS).awaitReady().toNanos());
    }

    /** Waits until claims that are created from now on are written. */
    private void settle() throws InterruptedException {
        settleAfter(System.nanoTime());
    }

    private long settleAfter(long time) throws InterruptedException {
        long later = time + BEFORE.toNanos();
        return await("claims written after " + BEFORE, () -> boxed(traffic.writeAfter(later)));
    }

    private static Optional<Long> boxed(OptionalLong value) {
        return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
    }

    private <T> T await(String what, Supplier<Optional<T>> value) throws InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        for (Optional<T> found = value.get(); ; found = value.get()) {
            if (found.isPresent()) {
                return found.get();
            }
            if (System.nanoTime() > limit) {
                throw new IllegalStateException("%s: not within %s; %d pods were created for %d devices%s"
                        .formatted(
                                what,
                                PATIENCE,
                                traffic.count(),
                                devices,
                                traffic.count() < devices ? "" : ": use more --nodes"));
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    @Override
    public void close() throws IOException {
        traffic.close();
        installation.close();
    }
}
