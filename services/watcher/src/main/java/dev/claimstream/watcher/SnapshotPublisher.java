package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.watcher.streams.PublicTopicPublisher;
import dev.claimstream.wire.PublicRecord;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Publishes the objects of a listing once, except ResourceSlices, which the node agents publish.
 *
 * <p>Claims of a listing are allocated at once, without waiting for a pod. Not thread-safe.
 */
@Context
@Requires(property = "claimstream.watcher.enabled", notEquals = "false")
@Requires(beans = ObjectListing.class)
public final class SnapshotPublisher {
    /** Name of this source in records. */
    public static final String SOURCE = "watcher";

    /**
     * Versions per millisecond of epoch. A later process has higher versions if fewer objects per millisecond are
     * published.
     */
    private static final int VERSIONS_PER_EPOCH = 1 << 20;

    private final ObjectListing listing;
    private final PublicTopicPublisher publisher;
    private final Epochs epochs = new Epochs(InstantSource.system());
    private final boolean publishAtStart;
    private long epoch;
    private long version;

    SnapshotPublisher(
            ObjectListing listing,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.show-at-start:true}") boolean publishAtStart) {
        this.publishAtStart = publishAtStart;
        this.listing = listing;
        this.publisher = new PublicTopicPublisher(kafka, registry, SOURCE);
    }

    /**
     * Publishes at start, unless {@code claimstream.show-at-start} is {@code false} and the caller chooses the time.
     */
    @PostConstruct
    void start() {
        if (publishAtStart) {
            publish();
        }
    }

    /**
     * Publishes every object, then a marker record per kind that says that the kind is synced.
     *
     * @throws dev.claimstream.watcher.streams.PublishException if the broker or the schema registry does not respond
     */
    public void publish() {
        epoch = epochs.next();
        version = epoch * VERSIONS_PER_EPOCH;
        List<PublicRecord> records = new ArrayList<>();
        for (ClusterObject object : listing.objects()) {
            if (object.kind() != Kind.RESOURCE_SLICE) {
                records.add(PublicRecord.upsert(new Stamp(SOURCE, epoch, ++version), object));
            }
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.RESOURCE_SLICE) {
                records.add(PublicRecord.syncMarker(new Stamp(SOURCE, epoch, version), kind, count(kind)));
            }
        }
        publisher.publish(records);
    }

    /** Publishes objects that changed after {@link #publish}, each with a higher version. */
    public void update(List<? extends ClusterObject> changed) {
        publisher.publish(changed.stream()
                .map(object -> PublicRecord.upsert(new Stamp(SOURCE, epoch, ++version), object))
                .toList());
    }

    private long count(Kind kind) {
        return listing.objects().stream()
                .filter(object -> object.kind() == kind)
                .count();
    }

    /** Publishes a probe: {@code explanations.v1} gets an answer once all records before it are decided. */
    public void probe(String id) {
        publisher.probe(new Stamp(SOURCE, epochs.next(), 0), id);
    }

    /** Why no record can be published now; empty if a broker is connected or none was needed yet. */
    Optional<String> disconnectReason() {
        return publisher.disconnectReason();
    }

    @PreDestroy
    void stop() {
        publisher.close();
    }
}
