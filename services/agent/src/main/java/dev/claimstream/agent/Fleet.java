package dev.claimstream.agent;

import dev.claimstream.agent.streams.Outlet;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Listing;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.wire.Published;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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

    private static final long PAUSE_MS = 1000;

    private final List<ResourceSlice> slices;
    private final Outlet outlet;
    private final boolean showAtStart;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::publishUntilKept, "fleet");
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
        this.outlet = new Outlet(kafka, registry, SOURCE, EPOCH);
    }

    /** Whoever starts the process can choose the moment by {@code claimstream.show-at-start: false}. */
    @PostConstruct
    void start() {
        if (showAtStart) {
            thread.start();
        }
    }

    private void publishUntilKept() {
        try {
            while (!isPublished() && !stopped.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
                // what was not kept is shown again, with higher versions
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Shows everything, then says that this was all.
     *
     * @throws IllegalStateException where Kafka or the registry did not take it
     */
    public void publish() {
        if (!isPublished()) {
            throw new IllegalStateException("the slices were not published: Kafka or the registry did not take them");
        }
    }

    private synchronized boolean isPublished() {
        List<Published> records = new ArrayList<>();
        for (ResourceSlice slice : slices) {
            records.add(Published.seen(stamp(++version), slice));
        }
        records.add(Published.listed(stamp(version), Kind.RESOURCE_SLICE, slices.size()));
        return outlet.say(records);
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
        outlet.close();
    }
}
