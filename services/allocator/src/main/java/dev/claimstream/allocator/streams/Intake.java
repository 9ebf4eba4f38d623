package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InvalidConfigurationException;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies the records of the public topics into one log, which defines the total order of events.
 *
 * <p>Records that cannot be decoded or break a rule go to {@code bad-records.v1}. Several instances share the partitions. After a fault of
 * Kafka or the registry, the intake reads again from its last commit: no record is lost, and the cell handles duplicates. Why it is no
 * stream: ADR 1. Safe for many threads.
 */
public final class Intake implements AutoCloseable {
    /** The consumer group of the intake. */
    static final String GROUP = "claimstream-intake";

    private static final Logger LOG = LoggerFactory.getLogger(Intake.class);
    private static final Duration OFFSETS_WITHIN = Duration.ofSeconds(1);
    private static final Duration RETRY_AFTER = Duration.ofMillis(200);
    private static final Duration RETRY_AFTER_MAX = Duration.ofSeconds(5);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final CellSettings settings;
    private final InstantSource clock;
    private final String instance;
    private final IntakeMeters meters;
    private final Consumer<Throwable> onFailure;
    private final Thread thread = new Thread(this::run, "intake");
    private final CountDownLatch closing = new CountDownLatch(1);
    private final GroupOffsets offsets;
    private final InputLag lag;
    private volatile Map<TopicPartition, OptionalLong> positions = Map.of();
    private volatile Optional<IntakeSession> session = Optional.empty();
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile Optional<String> currentError = Optional.empty();

    /** @param onFailure called with the exception that ends the intake */
    public Intake(
            KafkaConnection kafka,
            SchemaRegistry registry,
            CellSettings settings,
            InstantSource clock,
            String instance,
            IntakeMeters meters,
            Consumer<Throwable> onFailure) {
        this.kafka = kafka;
        this.registry = registry;
        this.settings = settings;
        this.clock = clock;
        this.instance = instance;
        this.meters = meters;
        this.onFailure = onFailure;
        offsets = new GroupOffsets(kafka, instance + "-intake-offsets", OFFSETS_WITHIN);
        lag = new InputLag(
                offsets,
                GROUP,
                () -> positions.keySet(),
                partition -> positions.getOrDefault(partition, OptionalLong.empty()),
                System::nanoTime);
        meters.show(lag);
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** The exception that ended the intake; empty if it has not failed. */
    public Optional<Throwable> failure() {
        return failure;
    }

    /** The error after which the intake is retrying; empty if there is none. */
    public Optional<String> currentError() {
        return currentError;
    }

    /** Whether the consumer is connected to a broker. */
    public boolean isConnected() {
        return session.filter(IntakeSession::isConnected).isPresent();
    }

    /** Lag in records of the public topics; empty if the brokers do not respond. */
    public OptionalLong lag() {
        return lag.total();
    }

    private void run() {
        try {
            RetryPolicy retries = RetryPolicy.withoutJitter(RETRY_AFTER, RETRY_AFTER_MAX);
            while (!isClosing()) {
                if (runSession()) {
                    retries.reset();
                }
                boolean unused = closing.await(retries.next().toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (Throwable e) { // an Error ends the thread too, and the owner must learn of it
            failure = Optional.of(e);
            onFailure.accept(e);
        }
    }

    /**
     * Runs one session until an error or the end.
     *
     * @return whether the session has read a record
     */
    private boolean runSession() {
        try (var now = new IntakeSession(kafka, registry, settings, clock, instance, meters)) {
            session = Optional.of(now);
            try {
                while (!isClosing()) {
                    now.step();
                    positions = now.positions();
                    currentError = Optional.empty();
                }
            } catch (WakeupException e) {
                LOG.atDebug().log("the intake stops");
            } catch (KafkaException | RegistryException e) {
                retryOrThrow(e);
            }
            if (isClosing()) {
                now.leaveGroupAtClose();
            }
            return now.hasRead();
        } finally {
            session = Optional.empty();
        }
    }

    private void retryOrThrow(RuntimeException e) {
        if (!isRetriable(e)) {
            throw e;
        }
        Optional<String> reason = Optional.of(AuthorizationFault.textOr(e, kafka));
        if (!reason.equals(currentError)) {
            LOG.atWarn().addKeyValue("why", reason.get()).log("the intake restarts from its last committed offset");
        }
        currentError = reason;
        meters.countRetry();
    }

    /** Whether the error is transient, so that a retry may succeed. An administrator can add a denied permission at any time. */
    private static boolean isRetriable(RuntimeException e) {
        if (AuthorizationFault.isCauseOf(e)) { // also an InvalidConfigurationException
            return true;
        }
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return switch (e) {
            case RegistryException registry -> registry.errorCode().isRetriable();
            default ->
                !(cause instanceof AuthenticationException
                        || cause instanceof FencedInstanceIdException
                        || cause instanceof InvalidConfigurationException);
        };
    }

    private boolean isClosing() {
        return closing.getCount() == 0;
    }

    @Override
    public void close() {
        closing.countDown();
        session.ifPresent(IntakeSession::wakeUp);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        offsets.close();
    }
}
