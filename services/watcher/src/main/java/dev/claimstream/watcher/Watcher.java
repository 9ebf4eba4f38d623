package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Listing;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.Published;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;

/** Shows what a cluster holds, once, from a listing: everything but the slices, which the agents of the nodes publish. */
@Context
@Requires(property = "claimstream.watcher.enabled", notEquals = "false")
@Requires(beans = Listing.class)
public final class Watcher {
    /** The name under which it speaks. */
    public static final String SOURCE = "watcher";

    private static final long EPOCH = 1;
    private static final int PROBE_RECORDS = 2;

    private final Listing listing;
    private final PublicTopics topics;
    private final boolean showAtStart;

    Watcher(
            Listing listing,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.show-at-start:true}") boolean showAtStart) {
        this.showAtStart = showAtStart;
        this.listing = listing;
        this.topics = new PublicTopics(kafka, registry, SOURCE);
    }

    /** Whoever starts the process can choose the moment by {@code claimstream.show-at-start: false}. */
    @PostConstruct
    void start() {
        if (showAtStart) {
            show();
        }
    }

    /** Shows everything, then says that this was all. */
    public void show() {
        long version = 0;
        for (ClusterObject object : listing.objects()) {
            if (object.kind() != Kind.RESOURCE_SLICE) {
                send(Published.seen(new Stamp(SOURCE, EPOCH, ++version), object));
            }
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.RESOURCE_SLICE) {
                send(Published.listed(new Stamp(SOURCE, EPOCH, version), kind, count(kind)));
            }
        }
        topics.flush();
    }

    private long count(Kind kind) {
        return listing.objects().stream()
                .filter(object -> object.kind() == kind)
                .count();
    }

    /** Asks on every topic when everything before is decided. */
    public void probe(String id) {
        var stamp = new Stamp(SOURCE, EPOCH, 0);
        send(Published.probeInventory(stamp, id, 0, PROBE_RECORDS));
        send(Published.probeClaims(stamp, id, 1, PROBE_RECORDS));
        topics.flush();
    }

    private void send(Published record) {
        switch (record) {
            case Published.Inventory inventory -> topics.send(inventory.key(), inventory.value());
            case Published.Claims claims -> topics.send(claims.key(), claims.value());
        }
    }

    @PreDestroy
    void stop() {
        topics.close();
    }
}
