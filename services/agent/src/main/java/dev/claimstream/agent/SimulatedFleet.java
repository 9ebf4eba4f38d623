package dev.claimstream.agent;

import dev.claimstream.agent.streams.AgentPublisher;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Simulated fleet: publishes the ResourceSlices of a listing as the agents of their nodes would.
 *
 * <p>Sends no heartbeats. Retries while Kafka or the schema registry does not respond.
 */
@Context
@Requires(property = "claimstream.agent.enabled", notEquals = "false")
@Requires(beans = ObjectListing.class)
public final class SimulatedFleet {
    /** Name of this source in records. */
    public static final String SOURCE = "agent";

    /** Epoch of this process; higher than those of earlier processes, unless the clock is set back. */
    private static final long EPOCH = System.currentTimeMillis();

    /**
     * Versions per millisecond of epoch. A later process has higher versions if fewer slices per millisecond are
     * published.
     */
    private static final int VERSIONS_PER_EPOCH = 1 << 20;

    private static final long PAUSE_MS = 1000;

    private final List<ResourceSlice> slices;
    private final AgentPublisher publisher;
    private final boolean publishAtStart;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::publishUntilAcknowledged, "fleet");
    private long version = EPOCH * VERSIONS_PER_EPOCH;

    SimulatedFleet(
            ObjectListing listing,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.show-at-start:true}") boolean publishAtStart) {
        this.publishAtStart = publishAtStart;
        this.slices = listing.objects().stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        this.publisher = new AgentPublisher(kafka, registry, SOURCE, EPOCH);
    }

    /**
     * Publishes at start, unless {@code claimstream.show-at-start} is {@code false} and the caller chooses the time.
     */
    @PostConstruct
    void start() {
        if (publishAtStart) {
            thread.start();
        }
    }

    private void publishUntilAcknowledged() {
        try {
            while (!tryPublish() && !stopped.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
                // publish again with higher versions
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Publishes every slice, then a marker record that says that the kind is synced.
     *
     * @throws IllegalStateException if Kafka or the schema registry did not accept the records
     */
    public void publish() {
        if (!tryPublish()) {
            throw new IllegalStateException(
                    "the slices were not published: Kafka or the schema registry did not accept them");
        }
    }

    private synchronized boolean tryPublish() {
        List<PublicRecord> records = new ArrayList<>();
        for (ResourceSlice slice : slices) {
            records.add(PublicRecord.upsert(stamp(++version), slice));
        }
        records.add(PublicRecord.syncMarker(stamp(version), Kind.RESOURCE_SLICE, slices.size()));
        return publisher.publish(records);
    }

    private static Stamp stamp(long version) {
        return new Stamp(SOURCE, EPOCH, version);
    }

    @PreDestroy
    void stop() {
        stopped.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publisher.close();
    }
}
