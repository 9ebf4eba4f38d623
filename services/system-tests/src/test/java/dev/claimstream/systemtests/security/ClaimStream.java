package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.systemtests.workload.Users;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Creates a claim with a pod at an interval, and deletes each claim once it is allocated. */
final class ClaimStream implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofMillis(100);

    private final AuthorizedServices services;
    private final Set<String> pending = new TreeSet<>();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("claim-stream").unstarted(this::run);
    private volatile boolean isCreating = true;
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private int created;

    private ClaimStream(AuthorizedServices services) {
        this.services = services;
    }

    static ClaimStream start(AuthorizedServices services) {
        var stream = new ClaimStream(services);
        stream.thread.start();
        return stream;
    }

    private void run() {
        try {
            while (isCreating) {
                String name = "stream-" + ++created;
                services.apply(ClusterManifests.usedClaim(name, 1));
                pending.add(name);
                deleteAllocated();
                Users.pause(INTERVAL);
            }
        } catch (RuntimeException e) {
            failure = Optional.of(e);
        }
    }

    private void deleteAllocated() {
        pending.removeIf(name -> {
            boolean isAllocated = services.isAllocated(name);
            if (isAllocated) {
                services.delete(Kind.POD, name);
                services.delete(Kind.RESOURCE_CLAIM, name);
            }
            return isAllocated;
        });
    }

    /** Creates no more claims, and waits until every claim has been allocated. Returns their number. */
    int finish(Duration limit) throws InterruptedException {
        isCreating = false;
        thread.join();
        assertThat(failure).isEmpty();
        long end = System.nanoTime() + limit.toNanos();
        while (!pending.isEmpty()) {
            deleteAllocated();
            assertThat(System.nanoTime())
                    .as(() -> "pending: %s%n%s".formatted(pending, services.report()))
                    .isLessThan(end);
            Users.pause(INTERVAL);
        }
        return created;
    }

    @Override
    public void close() {
        isCreating = false;
    }
}
