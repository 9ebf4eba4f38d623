package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Listing;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.watcher.streams.Outlet;
import dev.claimstream.wire.Published;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Shows what a cluster holds, once, from a listing: everything but the slices, which the agents of the nodes publish. */
@Context
@Requires(property = "claimstream.watcher.enabled", notEquals = "false")
@Requires(beans = Listing.class)
public final class Watcher {
    /** The name under which it speaks. */
    public static final String SOURCE = "watcher";

    /** Versions of a later process are higher, as long as fewer objects than this are shown in a millisecond. */
    private static final int VERSIONS_PER_EPOCH = 1 << 20;

    private final Listing listing;
    private final Outlet outlet;
    private final Epochs epochs = new Epochs(InstantSource.system());
    private final boolean showAtStart;
    private long epoch;
    private long version;

    Watcher(
            Listing listing,
            KafkaConnection kafka,
            SchemaRegistry registry,
            @Value("${claimstream.show-at-start:true}") boolean showAtStart) {
        this.showAtStart = showAtStart;
        this.listing = listing;
        this.outlet = new Outlet(kafka, registry, SOURCE);
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
        epoch = epochs.next();
        version = epoch * VERSIONS_PER_EPOCH;
        List<Published> records = new ArrayList<>();
        for (ClusterObject object : listing.objects()) {
            if (object.kind() != Kind.RESOURCE_SLICE) {
                records.add(Published.seen(new Stamp(SOURCE, epoch, ++version), object));
            }
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.RESOURCE_SLICE) {
                records.add(Published.listed(new Stamp(SOURCE, epoch, version), kind, count(kind)));
            }
        }
        outlet.publish(records);
    }

    /** Publishes objects that have changed since everything was shown, each as a newer version. */
    public void update(List<? extends ClusterObject> changed) {
        outlet.publish(changed.stream()
                .map(object -> Published.seen(new Stamp(SOURCE, epoch, ++version), object))
                .toList());
    }

    private long count(Kind kind) {
        return listing.objects().stream()
                .filter(object -> object.kind() == kind)
                .count();
    }

    /** Asks on every partition of every topic when everything before is decided. */
    public void probe(String id) {
        outlet.probe(new Stamp(SOURCE, epochs.next(), 0), id);
    }

    /** Why nothing can be shown now, where that is because no broker is connected. */
    Optional<String> cutOff() {
        return outlet.cutOff();
    }

    @PreDestroy
    void stop() {
        outlet.close();
    }
}
