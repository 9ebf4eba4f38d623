package dev.claimstream.cli;

import dev.claimstream.agent.streams.Liveness;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.console.Feed;
import dev.claimstream.dra.Features;
import dev.claimstream.kafka.LogIdentity;
import dev.claimstream.kafka.broker.BrokerFault;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.kubernetes.streams.TopicStore;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.observability.Health;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.ClusterWatcher;
import dev.claimstream.writer.Writer;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** All services in this JVM until they are stopped: the process of {@code claimstream up}. */
final class Up implements AutoCloseable {
    private static final Duration LOOK_EVERY = Duration.ofMillis(200);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final Duration START_WITHIN = Duration.ofMinutes(10);

    /** The components in the order in which they stop: writers to the cluster and to the log first. */
    private static final List<Class<?>> PARTS =
            List.of(Writer.class, Allocator.class, ClusterWatcher.class, Liveness.class);

    private final Path folder;
    private final Stack stack;
    private final ServedCluster cluster;
    private final ApplicationContext context;
    private final EmbeddedServer server;
    private final List<ObjectStore.Applied> applied;
    private final Optional<ApiAccess> access;

    private Up(
            Path folder,
            Stack stack,
            ServedCluster cluster,
            ApplicationContext context,
            EmbeddedServer server,
            List<ObjectStore.Applied> applied,
            Optional<ApiAccess> access) {
        this.folder = folder;
        this.stack = stack;
        this.cluster = cluster;
        this.context = context;
        this.server = server;
        this.applied = List.copyOf(applied);
        this.access = access;
    }

    /**
     * Starts all services. If one of them does not start, the ones started before are stopped.
     *
     * @param cells number of cells
     * @param objects applied first, so that no decision is made while half of them exist
     * @param consolePort 0 for any free port
     */
    static Up start(
            DataFolder folder,
            StackPorts ports,
            int cells,
            CelSelectors selectors,
            RunSettings settings,
            ServedCluster.Wanted wanted,
            List<Manifest> objects,
            int consolePort) {
        Stack stack = Stack.start(folder.path(), ports, cells);
        try {
            ServedCluster cluster = cluster(wanted, stack, settings.features());
            try {
                RunSettings fitting = cluster.release()
                        .map(wanted.gates())
                        .map(settings::withFeatures)
                        .orElse(settings);
                folder.cluster(cluster.id());
                cluster.hold(LogIdentity.read(stack.kafka(), ANSWER_WITHIN), folder.path());
                List<ObjectStore.Applied> applied = cluster.apply(objects);
                var context = stack.stayingServices(cluster.services(), selectors, fitting, folder.path(), consolePort);
                context.getBean(Health.class).watch("cluster", cluster::condition);
                return new Up(folder.path(), stack, cluster, context, listening(context), applied, wanted.access());
            } catch (RuntimeException e) {
                cluster.close();
                throw e;
            }
        } catch (RuntimeException e) {
            stack.close();
            throw e;
        }
    }

    private static EmbeddedServer listening(ApplicationContext context) {
        try {
            return context.getBean(EmbeddedServer.class).start();
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    private static ServedCluster cluster(ServedCluster.Wanted wanted, Stack stack, Features features) {
        return wanted.access()
                .<ServedCluster>map(access -> ServedCluster.Server.open(access, wanted.scope()))
                .orElseGet(() ->
                        new ServedCluster.Miniature(MiniatureCluster.open(new TopicStore(stack.kafka()), features)));
    }

    ServedCluster cluster() {
        return cluster;
    }

    /** Returns the results of the objects of the start. */
    List<ObjectStore.Applied> applied() {
        return applied;
    }

    Endpoint endpoint() {
        return new Endpoint(
                server.getURI(),
                ProcessHandle.current().pid(),
                stack.kafka().bootstrap(),
                stack.registryUrl(),
                access.map(each -> new Endpoint.Cluster(each.server(), each)));
    }

    /**
     * Waits until the services have restored their state.
     *
     * @return false if {@code stop} was signalled before
     * @throws RunFailure if a component failed
     */
    boolean awaitReady(CountDownLatch stop) {
        Feed feed = context.getBean(Feed.class);
        Allocator allocator = context.getBean(Allocator.class);
        BooleanSupplier isReady = () -> allocator.isRunning()
                && feed.isCaughtUp()
                && context.getBean(ClusterWatcher.class).isFresh();
        long deadline = System.nanoTime() + START_WITHIN.toNanos();
        while (!isReady.getAsBoolean()) {
            if (isStopped(stop, Duration.ofMillis(5))) {
                return false;
            }
            check();
            if (System.nanoTime() > deadline) {
                throw new RunFailure("it did not get ready within %d minutes".formatted(START_WITHIN.toMinutes()));
            }
        }
        return true;
    }

    /**
     * Returns when {@code stop} is signalled.
     *
     * @throws RunFailure if a component failed
     */
    void stay(CountDownLatch stop) {
        while (!isStopped(stop, LOOK_EVERY)) {
            check();
        }
    }

    private static boolean isStopped(CountDownLatch stop, Duration within) {
        try {
            return stop.await(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void check() {
        if (stack.broker().fault().isDone()) {
            BrokerFault fault = stack.broker().fault().join();
            throw RunFailure.ofPart(
                    fault.toString(), fault.kind() == BrokerFault.Kind.DISK_FULL ? Room.none(folder) : null);
        }
        context.getBean(Allocator.class).rebuildable().ifPresent(what -> {
            throw new RunFailure(
                    "%s; nothing was changed. To rebuild from the public topics and our own decisions, start it once with --rebuild"
                            .formatted(what));
        });
        cluster.lost().ifPresent(why -> {
            throw new RunFailure(why);
        });
        ended().ifPresent(end -> {
            throw RunFailure.ofPart(
                    "%s; nothing that was acknowledged is lost, start it again".formatted(end.what()),
                    end.why().orElse(null));
        });
    }

    /**
     * The failure of a component.
     *
     * @param why exception, if known
     */
    private record Ended(String what, Optional<? extends Throwable> why) {
        static Ended of(String part, Optional<RuntimeException> failure) {
            return new Ended(
                    "%s stopped: %s"
                            .formatted(
                                    part,
                                    failure.map(RuntimeException::toString).orElse("for a reason that it did not say")),
                    failure);
        }
    }

    private Optional<Ended> ended() {
        Allocator allocator = context.getBean(Allocator.class);
        if (!allocator.isAlive()) {
            return Optional.of(new Ended(
                    "the allocator stopped: " + allocator.failure().orElse("for a reason that it did not say"),
                    allocator.thrown()));
        }
        if (!context.getBean(ClusterWatcher.class).isAlive()) {
            return Optional.of(Ended.of(
                    "the watcher", context.getBean(ClusterWatcher.class).failure()));
        }
        if (!context.getBean(Writer.class).isAlive()) {
            return Optional.of(
                    Ended.of("the writer", context.getBean(Writer.class).failure()));
        }
        if (!context.getBean(Liveness.class).isAlive()) {
            return Optional.of(Ended.of(
                    "what judges which nodes are silent",
                    context.getBean(Liveness.class).failure()));
        }
        return context.getBean(Feed.class).isAlive()
                ? Optional.empty()
                : Optional.of(new Ended("the console's reader stopped; what it said stands above", Optional.empty()));
    }

    /** Describes the endpoints, one per line. */
    static String where(Endpoint endpoint, Path folder) {
        return """
                  console   %s (REST: /api/v1, /health, /metrics)
                  broker    %s (Kafka bootstrap servers; outside producers write inventory.v1 and claims.v1)
                  registry  %s (schemas, Confluent's REST protocol)
                  data      %s
                """.formatted(endpoint.console(), endpoint.bootstrap(), endpoint.registry(), folder);
    }

    /** Reports in the health that {@code up} waits for disk space. */
    void pauses(Supplier<String> why) {
        context.getBean(Health.class).watch("disk", () -> Health.Condition.down(why.get()));
    }

    /** Stops all components, writers first. An exception of one component does not prevent the stop of the others. */
    @Override
    public void close() {
        stop(Stream.concat(PARTS.stream().map(this::stopping), rest()));
    }

    /**
     * Stops all components after the broker failed.
     * The components stop in parallel, because each of them blocks until the timeout of its client.
     */
    void closeBroken() {
        List<Thread> stopping = PARTS.stream()
                .map(part -> Thread.ofPlatform()
                        .daemon()
                        .name("close-" + part.getSimpleName())
                        .start(stopping(part)))
                .toList();
        try {
            for (Thread each : stopping) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stop(rest());
    }

    private Runnable stopping(Class<?> part) {
        return () -> context.destroyBean(part);
    }

    private Stream<Runnable> rest() {
        return Stream.of(server::stop, context::close, cluster::close, stack::close);
    }

    private static void stop(Stream<Runnable> all) {
        List<RuntimeException> thrown = new ArrayList<>();
        all.forEach(each -> {
            try {
                each.run();
            } catch (RuntimeException e) {
                thrown.add(e);
            }
        });
        if (!thrown.isEmpty()) {
            RuntimeException first = thrown.removeFirst();
            thrown.forEach(first::addSuppressed);
            throw first;
        }
    }
}
