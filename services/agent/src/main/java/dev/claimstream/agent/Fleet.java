package dev.claimstream.agent;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Listing;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.Published;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.util.List;

/** A simulated fleet: publishes the slices of a listing as the agents of their nodes would. */
@Context
@Requires(property = "claimstream.agent.enabled", notEquals = "false")
@Requires(beans = Listing.class)
public final class Fleet {
    /** The name under which it speaks. */
    public static final String SOURCE = "agent";

    /** Higher than those of the processes before this one, while the clock goes on. */
    private static final long EPOCH = System.currentTimeMillis();

    /** Versions of a later process are higher, as long as fewer slices than this are shown in a millisecond. */
    private static final int VERSIONS_PER_EPOCH = 1 << 20;

    private final List<ResourceSlice> slices;
    private final PublicTopics topics;
    private final boolean showAtStart;
    private long version = EPOCH * VERSIONS_PER_EPOCH;

    Fleet(
            Listing listing,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.show-at-start:true}") boolean showAtStart) {
        this.showAtStart = showAtStart;
        this.slices = listing.objects().stream()
                .filter(ResourceSlice.class::isInstance)
                .map(ResourceSlice.class::cast)
                .toList();
        this.topics = new PublicTopics(kafka, registry, SOURCE);
    }

    /** Whoever starts the process can choose the moment by {@code claimstream.show-at-start: false}. */
    @PostConstruct
    void start() {
        if (showAtStart) {
            publish();
        }
    }

    /** Shows everything, then says that this was all. */
    public synchronized void publish() {
        for (ResourceSlice slice : slices) {
            send(Published.seen(new Stamp(SOURCE, EPOCH, ++version), slice));
        }
        send(Published.listed(new Stamp(SOURCE, EPOCH, version), Kind.RESOURCE_SLICE, slices.size()));
        topics.flush();
    }

    private void send(Published record) {
        switch (record) {
            case Published.Inventory inventory
            when record.isForAll() -> topics.sendToAll(inventory.key(), inventory.value());
            case Published.Inventory inventory -> topics.send(inventory.key(), inventory.value());
            case Published.Claims claims -> topics.send(claims.key(), claims.value());
        }
    }

    @PreDestroy
    void stop() {
        topics.close();
    }
}
