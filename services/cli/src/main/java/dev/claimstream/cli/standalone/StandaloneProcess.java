package dev.claimstream.cli.standalone;

import dev.claimstream.agent.streams.LivenessMonitor;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.cli.folder.ClusterKind;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.DiskSpace;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.console.ConsumerStatus;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.kafka.LogIdentity;
import dev.claimstream.kafka.broker.BrokerFault;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.miniature.MiniatureCluster;
import dev.claimstream.kubernetes.streams.TopicStore;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.observability.Health;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.ClusterWatcher;
import dev.claimstream.writer.Writer;
import io.micronaut.context.ApplicationContext;
import io.micronaut.http.server.exceptions.ServerStartupException;
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
public final class StandaloneProcess implements AutoCloseable {
    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
    private static final Duration RESPONSE_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration START_TIMEOUT = Duration.ofMinutes(10);

    /** The components in the order in which they stop: writers to the cluster and to the log first. */
    private static final List<Class<?>> COMPONENTS =
            List.of(Writer.class, Allocator.class, ClusterWatcher.class, LivenessMonitor.class);

    private final Path folder;
    private final StandaloneStack stack;
    private final ServedCluster cluster;
    private final ApplicationContext context;
    private final EmbeddedServer server;
    private final List<ObjectStore.ApplyResult> applied;
    private final ServedCluster.ClusterSelection selection;

    private StandaloneProcess(
            Path folder,
            StandaloneStack stack,
            ServedCluster cluster,
            ApplicationContext context,
            EmbeddedServer server,
            List<ObjectStore.ApplyResult> applied,
            ServedCluster.ClusterSelection selection) {
        this.folder = folder;
        this.stack = stack;
        this.cluster = cluster;
        this.context = context;
        this.server = server;
        this.applied = List.copyOf(applied);
        this.selection = selection;
    }

    /**
     * Starts all services. If one of them does not start, the ones started before are stopped.
     *
     * @param cells number of cells
     * @param objects applied first, so that no decision is made while half of them exist
     * @param consolePort 0 for any free port
     * @throws dev.claimstream.process.http.ListenException if another process has taken a port
     */
    public static StandaloneProcess start(
            DataFolder folder,
            StandalonePorts ports,
            int cells,
            CelSelectors selectors,
            RunSettings settings,
            ServedCluster.ClusterSelection wanted,
            List<Manifest> objects,
            int consolePort) {
        StandaloneStack stack = StandaloneStack.start(folder.path(), ports, cells);
        try {
            ServedCluster cluster = cluster(wanted, stack, settings.features());
            try {
                RunSettings fitting = cluster.release()
                        .map(wanted.gates())
                        .map(settings::withFeatures)
                        .orElse(settings);
                folder.requireCluster(cluster.identity());
                if (!settings.observeOnly()) {
                    cluster.acquire(LogIdentity.read(stack.kafka(), RESPONSE_TIMEOUT), stack.kafka(), folder.path());
                }
                // a rejected start must not claim the folder for its cluster
                folder.bindCluster(wanted.kind(), cluster.identity());
                List<ObjectStore.ApplyResult> applied = cluster.apply(objects);
                var context = stack.startLongRunningServices(
                        cluster.services(), selectors, fitting, folder.path(), consolePort);
                context.getBean(Health.class).register("cluster", cluster::condition);
                return new StandaloneProcess(
                        folder.path(), stack, cluster, context, startServer(context, consolePort), applied, wanted);
            } catch (RuntimeException e) {
                cluster.close();
                throw e;
            }
        } catch (RuntimeException e) {
            stack.close();
            if (wanted.kind() == ClusterKind.KUBERNETES) {
                folder.discardIfUnbound();
            }
            throw e;
        }
    }

    private static EmbeddedServer startServer(ApplicationContext context, int port) {
        try {
            return context.getBean(EmbeddedServer.class).start();
        } catch (ServerStartupException e) {
            context.close();
            throw PortOptions.taken(port, PortOptions.OPTION_CONSOLE, e);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    private static ServedCluster cluster(
            ServedCluster.ClusterSelection wanted, StandaloneStack stack, FeatureGates features) {
        return wanted.access()
                .<ServedCluster>map(access -> ServedCluster.Server.open(access, wanted.scope()))
                .orElseGet(() ->
                        new ServedCluster.Miniature(MiniatureCluster.open(new TopicStore(stack.kafka()), features)));
    }

    /** Whether it only observes: no component writes to the cluster. */
    boolean isObserving() {
        return context.findBean(Writer.class).isEmpty();
    }

    ServedCluster cluster() {
        return cluster;
    }

    /** Returns the results of the objects of the start. */
    public List<ObjectStore.ApplyResult> applied() {
        return applied;
    }

    public Endpoint endpoint() {
        return new Endpoint(
                server.getURI(),
                ProcessHandle.current().pid(),
                stack.kafka().bootstrap(),
                stack.registryUrl(),
                selection
                        .access()
                        .map(each -> new Endpoint.Cluster(each.server(), each, selection.scope() == ApiScope.ALL)));
    }

    /**
     * Waits until the services have restored their state.
     *
     * @return false if {@code stop} was signalled before
     * @throws RunFailure if a component failed
     */
    public boolean awaitReady(CountDownLatch stop) {
        ConsumerStatus feed = context.getBean(ConsumerStatus.class);
        Allocator allocator = context.getBean(Allocator.class);
        BooleanSupplier isReady = () -> allocator.isRunning()
                && feed.isCaughtUp()
                && context.getBean(ClusterWatcher.class).isFresh();
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!isReady.getAsBoolean()) {
            if (isStopped(stop, Duration.ofMillis(5))) {
                return false;
            }
            check();
            if (System.nanoTime() > deadline) {
                throw new RunFailure(
                        "claimstream was not ready within %d minutes".formatted(START_TIMEOUT.toMinutes()));
            }
        }
        return true;
    }

    /**
     * Returns when {@code stop} is signalled.
     *
     * @throws RunFailure if a component failed
     */
    public void awaitStop(CountDownLatch stop) {
        while (!isStopped(stop, CHECK_INTERVAL)) {
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
            throw RunFailure.ofComponent(
                    fault.toString(),
                    fault.kind() == BrokerFault.BrokerFaultKind.DISK_FULL ? DiskSpace.diskFull(folder) : null);
        }
        context.getBean(Allocator.class).rebuildReason().ifPresent(what -> {
            throw new RunFailure(
                    "%s; nothing was changed. To rebuild the state from the public topics and the recorded decisions, start it once with --rebuild"
                            .formatted(what));
        });
        cluster.lossReason().ifPresent(why -> {
            throw new RunFailure(why);
        });
        failedComponent().ifPresent(end -> {
            throw RunFailure.ofComponent(
                    "%s; nothing that was acknowledged is lost, start it again".formatted(end.message()),
                    end.cause().orElse(null));
        });
    }

    /**
     * The failure of a component.
     *
     * @param cause exception, if known
     */
    private record ComponentFailure(String message, Optional<? extends Throwable> cause) {
        static ComponentFailure of(String part, Optional<RuntimeException> failure) {
            return new ComponentFailure(
                    "%s stopped: %s"
                            .formatted(
                                    part,
                                    failure.map(RuntimeException::toString).orElse("unknown reason")),
                    failure);
        }
    }

    private Optional<ComponentFailure> failedComponent() {
        Allocator allocator = context.getBean(Allocator.class);
        if (!allocator.isAlive()) {
            return Optional.of(new ComponentFailure(
                    "the allocator stopped: " + allocator.failure().orElse("unknown reason"),
                    allocator.failureCause()));
        }
        if (!context.getBean(ClusterWatcher.class).isAlive()) {
            return Optional.of(ComponentFailure.of(
                    "the watcher", context.getBean(ClusterWatcher.class).failure()));
        }
        Optional<Writer> deadWriter = context.findBean(Writer.class).filter(writer -> !writer.isAlive());
        if (deadWriter.isPresent()) {
            return deadWriter.map(writer -> ComponentFailure.of("the writer", writer.failure()));
        }
        if (!context.getBean(LivenessMonitor.class).isAlive()) {
            return Optional.of(ComponentFailure.of(
                    "the liveness monitor",
                    context.getBean(LivenessMonitor.class).failure()));
        }
        return context.getBean(ConsumerStatus.class).isAlive()
                ? Optional.empty()
                : Optional.of(
                        new ComponentFailure("the console's reader stopped; see its log above", Optional.empty()));
    }

    /** Describes the endpoints, one per line. */
    public static String endpointText(Endpoint endpoint, Path folder) {
        return """
                  console   %s (REST: /api/v1, /health, /metrics)
                  broker    %s (Kafka bootstrap servers; outside producers write inventory.v1 and claims.v1)
                  registry  %s (schemas, Confluent's REST protocol)
                  data      %s
                """.formatted(endpoint.console(), endpoint.bootstrap(), endpoint.registry(), folder);
    }

    /** Reports in the health that {@code up} waits for disk space. */
    public void reportDiskWait(Supplier<String> why) {
        context.getBean(Health.class).register("disk", () -> Health.Condition.down(why.get()));
    }

    /** Stops all components, writers first. An exception of one component does not prevent the stop of the others. */
    @Override
    public void close() {
        stop(Stream.concat(COMPONENTS.stream().map(this::closerOf), remainingClosers()));
    }

    /**
     * Stops all components after the broker failed.
     * The components stop in parallel, because each of them blocks until the timeout of its client.
     */
    void closeBroken() {
        List<Thread> stopping = COMPONENTS.stream()
                .map(part -> Thread.ofPlatform()
                        .daemon()
                        .name("close-" + part.getSimpleName())
                        .start(closerOf(part)))
                .toList();
        try {
            for (Thread each : stopping) {
                each.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stop(remainingClosers());
    }

    private Runnable closerOf(Class<?> part) {
        return () -> context.destroyBean(part);
    }

    private Stream<Runnable> remainingClosers() {
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
