package dev.claimstream.load.streams;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.Topics;
import dev.claimstream.load.GpuClaims;
import dev.claimstream.schemas.ClaimsRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.wire.PublicRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Generates claims like a watcher, reads decisions like the writer, and deletes each claim once it is allocated.
 *
 * <p>Latency counts from the time at which a claim was due, so that a slow system does not get less load (no
 * coordinated omission).
 */
public final class LoadGenerator implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int NAMESPACES = 16;

    /** Number of distinct names. Names are reused as those of numbered pods are, and always in the same namespace. */
    private static final int NAMES = 48_000;

    private static final int FILLING_UNDER_WAY = 500;

    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    /** The default age of a claim in flight at which a rate counts as not sustained. */
    private static final Duration BEHIND_MAX = Duration.ofSeconds(10);

    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private final EmbeddedSystem site;
    private final KafkaProducer<byte[], byte[]> producer;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final RecordSerde<ClaimsRecord> claims;
    private final RecordSerde<DecisionRecord> decisions;
    private final List<Integer> sizes;
    private final List<ClaimSpec> specs;
    private final Map<String, ClaimRoundTrip> inFlight = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable Exception> firstFailure = new AtomicReference<>();
    private final Thread reader = new Thread(this::read, "load-reader");
    private volatile MeasurementWindow measured = MeasurementWindow.none();
    private volatile boolean isDeleting = true;
    private Duration overloadAge = BEHIND_MAX;

    /** Starts at the clock, so that a later process on the same folder continues with larger values. */
    private long sequence = EmbeddedSystem.micros();

    /**
     * Starts to read decisions.
     *
     * @param sizes devices per claim, used in turn
     */
    public LoadGenerator(EmbeddedSystem site, List<Integer> sizes) {
        this.site = site;
        this.sizes = List.copyOf(sizes);
        specs = sizes.stream().map(count -> GpuClaims.spec(count, "40Gi")).toList();
        claims = AvroSerde.of(ClaimsRecord.class, site.registry());
        decisions = AvroSerde.of(DecisionRecord.class, site.registry());
        producer = new KafkaProducer<>(
                ProducerSettings.of(site.kafka(), "load-claims").properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(site.kafka(), "load-decisions").properties(),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = IntStream.range(
                        0, consumer.partitionsFor(Topics.DECISIONS).size())
                .mapToObj(each -> new TopicPartition(Topics.DECISIONS, each))
                .toList();
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
        reader.start();
    }

    /** Sets the age of a claim in flight at which a rate counts as not sustained. */
    public LoadGenerator withOverloadLimit(Duration max) {
        overloadAge = max;
        return this;
    }

    /** Allocates claims that are not deleted, until a number of devices is allocated. */
    public void fill(long devices) {
        isDeleting = false;
        for (long held = 0; held < devices; ) {
            EmbeddedSystem.await(
                    "room for another claim", () -> check().inFlight.size() < FILLING_UNDER_WAY);
            held += sizes.get((int) (sequence % sizes.size()));
            var unused = send(System.nanoTime());
        }
        EmbeddedSystem.await("the last permanent claim", () -> check().inFlight.isEmpty());
        isDeleting = true;
    }

    /** Sends claims and does not wait for their decisions. */
    public List<ResourceClaim> send(String namespace, List<ClaimSpec> specs) {
        List<ResourceClaim> sent = new ArrayList<>();
        for (ClaimSpec spec : specs) {
            String name = "%s-%d".formatted(namespace, sequence);
            var meta = ObjectMeta.of(namespace, name, name).withSequence(sequence++);
            var claim = new ResourceClaim(meta, spec, Optional.empty(), List.of());
            PublicRecord record = PublicRecord.upsert(site.stamp(), claim);
            send(record.key(), bytes(record), (metadata, failure) -> fail(failure));
            sent.add(claim);
        }
        return sent;
    }

    /** Deletes claims, allocated or not. */
    public void delete(List<ResourceClaim> all) {
        all.forEach(this::delete);
    }

    /** Allocates one claim and deletes it. */
    public void allocateOne() {
        ClaimRoundTrip trip = send(System.nanoTime());
        EmbeddedSystem.await("the allocation of a claim", () -> check() == this && trip.isAllocated());
    }

    /**
     * Runs a profile: a warm-up, the measurement, then until all claims are released. It ends early if the rate is not
     * sustained.
     *
     * @throws NoProgressException if claims get no response
     */
    public LoadResult run(LoadProfile pace, Duration warm, Duration length) {
        long start = System.nanoTime();
        long begin = start + warm.toNanos();
        long end = begin + length.toNanos();
        measured = new MeasurementWindow(begin, end);
        var use = new CpuUse.CpuInterval();
        Optional<RateOverload> behind = Optional.empty();
        long look = begin + LOOK_EVERY.toNanos();
        for (long number = 0; behind.isEmpty(); number++) {
            long due = due(pace, start, number);
            if (due >= end) {
                break;
            }
            waitUntil(due);
            if (due >= begin) {
                use.begin();
            }
            var unused = send(due);
            if (pace instanceof LoadProfile.ConstantRate && System.nanoTime() - look >= 0) {
                behind = overload(start);
                look = System.nanoTime() + LOOK_EVERY.toNanos();
            }
        }
        if (behind.isEmpty()) {
            waitUntil(end);
        } else {
            measured.endAt(System.nanoTime());
        }
        use.end();
        awaitAnswers(pace);
        return measured.round(pace, use.spent(), behind);
    }

    /** Returns the overload if the oldest claim in flight is too old. */
    private Optional<RateOverload> overload(long start) {
        long now = System.nanoTime();
        long oldest = check().inFlight.values().stream()
                .mapToLong(trip -> now - trip.dueNanos)
                .max()
                .orElse(0);
        return oldest < overloadAge.toNanos()
                ? Optional.empty()
                : Optional.of(
                        new RateOverload(Duration.ofNanos(now - start), inFlight.size(), Duration.ofNanos(oldest)));
    }

    /** Waits until no claims are in flight. It gives up if there is no progress for {@link #STUCK_AFTER}. */
    private void awaitAnswers(LoadProfile pace) {
        int before = inFlight.size();
        long last = System.nanoTime();
        while (!check().inFlight.isEmpty()) {
            int now = inFlight.size();
            if (now < before) {
                before = now;
                last = System.nanoTime();
            }
            if (System.nanoTime() - last > STUCK_AFTER.toNanos()) {
                throw new NoProgressException(
                        "%s: %,d claims are still in flight, and for %d s none of them was released"
                                .formatted(pace.text(), now, STUCK_AFTER.toSeconds()));
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    private long due(LoadProfile pace, long start, long number) {
        return switch (pace) {
            case LoadProfile.ConstantRate steady -> start + steady.due(number);
            case LoadProfile.ClosedLoop(int underWayMax) -> {
                while (check().inFlight.size() >= underWayMax) {
                    LockSupport.parkNanos(20_000);
                }
                yield System.nanoTime();
            }
        };
    }

    private static void waitUntil(long nanos) {
        for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** @throws IllegalStateException if sending or reading has failed */
    private LoadGenerator check() {
        Exception why = firstFailure.get();
        if (why != null) {
            throw new IllegalStateException("the load generator failed", why);
        }
        return this;
    }

    // ---- sending
    // ------------------------------------------------------------------------------------------------------

    private ClaimRoundTrip send(long due) {
        var claim = claim(sequence++);
        var trip = new ClaimRoundTrip(claim, due);
        inFlight.put(claim.meta().uid(), trip);
        PublicRecord record = PublicRecord.upsert(site.stamp(), claim);
        send(record.key(), bytes(record), (metadata, failure) -> {
            fail(failure);
            if (failure == null) {
                trip.appended(metadata.timestamp());
            }
        });
        return trip;
    }

    private ResourceClaim claim(long number) {
        var meta = ObjectMeta.of("team-%02d".formatted(number % NAMESPACES), name(number), "claim-" + number)
                .withSequence(number)
                .withCreated(Instant.now().truncatedTo(ChronoUnit.SECONDS));
        return new ResourceClaim(meta, specs.get((int) (number % specs.size())), Optional.empty(), List.of());
    }

    /** Returns the name of a claim; names of claims that are not deleted are not reused. */
    private String name(long number) {
        return isDeleting ? "train-%05d-gpus".formatted(number % NAMES) : "stays-%d-gpus".formatted(number);
    }

    private void delete(ResourceClaim claim) {
        PublicRecord record = PublicRecord.deletion(site.stamp(), claim);
        send(record.key(), bytes(record), (metadata, failure) -> fail(failure));
        send(record.key(), null, (metadata, failure) -> fail(failure));
    }

    private byte[] bytes(PublicRecord record) {
        return switch (record) {
            case PublicRecord.ClaimsTopicRecord(var key, var value) -> claims.write(Topics.CLAIMS, value);
            case PublicRecord.InventoryTopicRecord inventory ->
                throw new IllegalStateException("a claim is no inventory");
        };
    }

    @SuppressWarnings("NullAway") // a record without a value is a tombstone
    private void send(List<String> key, byte @Nullable [] value, Callback callback) {
        byte[] text = new RecordKey(key).text().getBytes(StandardCharsets.UTF_8);
        var unused = producer.send(new ProducerRecord<>(Topics.CLAIMS, text, value), callback);
    }

    private void fail(@Nullable Exception why) {
        if (why != null) {
            firstFailure.compareAndSet(null, why);
        }
    }

    // ---- reading
    // ------------------------------------------------------------------------------------------------------

    private void read() {
        try {
            while (true) {
                var records = consumer.poll(POLL);
                long nanos = System.nanoTime();
                long millis = System.currentTimeMillis();
                records.forEach(record -> handle(record, nanos, millis));
            }
        } catch (WakeupException e) {
            // closed
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void handle(ConsumerRecord<byte[], byte[]> record, long nanos, long millis) {
        ClaimRoundTrip trip = inFlight.get(new String(record.key(), StandardCharsets.UTF_8));
        if (trip == null) {
            return;
        }
        switch (decisions.read(Topics.DECISIONS, record.value())) {
            case DecodeResult.Value<DecisionRecord>(DecisionRecord decision) -> handle(decision, trip, nanos, millis);
            case DecodeResult.Tombstone<DecisionRecord>() -> {}
            case DecodeResult.Failure<DecisionRecord> bad -> throw new IllegalStateException(bad.message());
        }
    }

    private void handle(DecisionRecord decision, ClaimRoundTrip trip, long nanos, long millis) {
        if (decision.getReleased()) {
            inFlight.remove(trip.claim.meta().uid());
            measured.released(trip, nanos);
            return;
        }
        if (trip.decide()) {
            measured.decided(trip, nanos, millis, decision.getAllocated().isEmpty());
        }
        if (decision.getAllocated().isPresent() && trip.allocate()) {
            if (isDeleting) {
                trip.delete(System.nanoTime());
                delete(trip.claim);
            } else {
                inFlight.remove(trip.claim.meta().uid());
            }
        }
    }

    @Override
    public void close() {
        consumer.wakeup();
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        consumer.close();
        producer.close();
    }
}
