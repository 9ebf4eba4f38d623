package dev.claimstream.kafka.broker;

import dev.claimstream.kafka.broker.BrokerSettings.ControllerEndpoint;
import dev.claimstream.kafka.broker.BrokerStartException.StartFailureKind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import kafka.server.KafkaConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Kafka broker inside this JVM, on loopback: KRaft, broker and controller in one node.
 *
 * <p>An instance runs once. For another start on the same folder, create another instance: data, cluster id and topics are persistent. Safe
 * for many threads.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EmbeddedBroker.class);
    private static final int START_TRIES = 3;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(20);
    private static final Duration CLOSE_TIMEOUT_AFTER_FAULT = Duration.ofSeconds(5);
    private static final Duration CONTROLLER_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration CONTROLLER_TIMEOUT_AFTER_FAULT = Duration.ofMillis(100);

    private final KafkaNode node;
    private final BrokerFolder folder;
    private final int port;
    private final int controllerPort;
    private final CompletableFuture<BrokerFault> fault = new CompletableFuture<>();
    private final AtomicBoolean isFaulty = new AtomicBoolean();
    private final AtomicBoolean isClosed = new AtomicBoolean();
    private final Runnable onFatalExit = this::fail;

    private EmbeddedBroker(KafkaNode node, BrokerFolder folder, int port, int controllerPort) {
        this.node = node;
        this.folder = folder;
        this.port = port;
        this.controllerPort = controllerPort;
    }

    /**
     * Starts a broker and returns when it is ready.
     *
     * @throws BrokerStartException if it cannot start
     */
    public static EmbeddedBroker start(BrokerSettings settings) {
        settings.port().ifPresent(LoopbackPorts::rejectUsed);
        var folder = BrokerFolder.open(settings);
        try {
            return startWithTries(settings, folder);
        } catch (RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static EmbeddedBroker startWithTries(BrokerSettings settings, BrokerFolder folder) {
        for (int attempt = 1; ; attempt++) {
            try {
                return startOnce(settings, folder);
            } catch (BrokerStartException e) {
                if (e.kind() != StartFailureKind.PORT_IN_USE || attempt == START_TRIES) {
                    throw e;
                }
            }
        }
    }

    private static EmbeddedBroker startOnce(BrokerSettings settings, BrokerFolder folder) {
        int port = settings.port().orElseGet(LoopbackPorts::free);
        int controllerPort = settings.cluster()
                .map(ControllerEndpoint::controllerPort)
                .orElseGet(() -> settings.controllerPort().orElseGet(() -> LoopbackPorts.freeExcept(port)));
        var broker = new EmbeddedBroker(node(settings, folder, port, controllerPort), folder, port, controllerPort);
        FatalExits.register(broker.onFatalExit);
        try {
            broker.awaitStart();
            if (folder.hasUncleanShutdown()) {
                HangingTransactionCleaner.end(broker.bootstrap());
            }
        } catch (BrokerStartException e) {
            broker.stop(CLOSE_TIMEOUT_AFTER_FAULT);
            throw e;
        }
        return broker;
    }

    private static KafkaNode node(BrokerSettings settings, BrokerFolder folder, int port, int controllerPort) {
        MeterTicks.disable();
        try {
            BrokerSettings effective = folder.hasUncleanShutdown() ? settings.afterUncleanShutdown() : settings;
            return new KafkaNode(new KafkaConfig(effective.properties(port, controllerPort), false));
        } catch (RuntimeException e) {
            throw StartFailures.of(e, folder.path());
        }
    }

    /** Waits for the start or a fault: if the broker stops while it starts, Kafka's start method does not return. */
    private void awaitStart() {
        var started = CompletableFuture.runAsync(node::start, task -> thread("broker-start", task));
        try {
            Object first = CompletableFuture.anyOf(started, fault).get(START_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
            if (first instanceof BrokerFault brokerFault) {
                throw StartFailures.of(brokerFault);
            }
        } catch (ExecutionException e) {
            throw StartFailures.of(e.getCause() == null ? e : e.getCause(), folder.path());
        } catch (TimeoutException e) {
            throw StartFailures.of(
                    new TimeoutException("not up after %d s".formatted(START_TIMEOUT.toSeconds())), folder.path());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw StartFailures.of(e, folder.path());
        }
    }

    /** The address for clients: {@code host:port}. */
    public String bootstrap() {
        return BrokerSettings.HOST + ":" + port;
    }

    /** The cluster id, the same at every start on this folder. */
    public String clusterId() {
        return folder.clusterId();
    }

    /** The cluster that other brokers can join while this controller runs. */
    public ControllerEndpoint controllerEndpoint() {
        return new ControllerEndpoint(clusterId(), controllerPort);
    }

    /**
     * Bytes of records that were rejected since the start because they exceed the limit of the topic.
     *
     * <p>With several brokers in one JVM it is the sum over all of them.
     */
    public long rejectedBytes(String topic) {
        return RejectedBytes.of(topic);
    }

    /** Completes when the broker has a fault; {@link #close} does not complete it. */
    public CompletableFuture<BrokerFault> fault() {
        return fault.copy();
    }

    /** Stops the broker in bounded time, even if the disk is full. Idempotent. */
    @Override
    public void close() {
        try (folder) {
            stop(isFaulty.get() ? CLOSE_TIMEOUT_AFTER_FAULT : CLOSE_TIMEOUT);
        }
    }

    private void stop(Duration timeout) {
        if (!isClosed.compareAndSet(false, true)) {
            return;
        }
        try {
            if (!thread("broker-close", this::shutDown).join(timeout)) {
                LOG.atWarn()
                        .addKeyValue("folder", folder.path())
                        .log("broker does not stop; its threads end with this process");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            FatalExits.unregister(onFatalExit);
        }
    }

    private void shutDown() {
        try {
            node.stop(isFaulty.get() ? CONTROLLER_TIMEOUT_AFTER_FAULT : CONTROLLER_TIMEOUT);
        } catch (RuntimeException e) {
            LOG.atWarn().addKeyValue("folder", folder.path()).setCause(e).log("broker did not stop cleanly");
        }
    }

    private static Thread thread(String name, Runnable task) {
        return Thread.ofPlatform().daemon().name(name).start(task);
    }

    private void fail() {
        if (!isClosed.get() && isFaulty.compareAndSet(false, true)) {
            BrokerFault what = folder.diagnose();
            // on another thread, because the broker's thread holds locks
            thread("broker-fault", () -> fault.complete(what));
        }
    }
}
