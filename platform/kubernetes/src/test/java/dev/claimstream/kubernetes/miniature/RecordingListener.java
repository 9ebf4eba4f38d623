package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** A listener that records its watch events. */
final class RecordingListener implements ClusterWatch.WatchListener {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final List<String> events = new ArrayList<>();
    private final Map<ObjectKey, ClusterObject> objects = new TreeMap<>();
    private long version;

    /** Sets the objects and version of a list as the start. */
    synchronized RecordingListener start(ClusterWatch.ObjectList listed) {
        listed.objects().forEach(each -> objects.put(each.object().key(), each.object()));
        version = listed.version();
        return this;
    }

    @Override
    public synchronized void onUpsert(VersionedObject object) {
        checkVersion(object);
        objects.put(object.object().key(), object.object());
        events.add("changed " + object.object().key());
    }

    @Override
    public synchronized void onDelete(VersionedObject object) {
        checkVersion(object);
        objects.remove(object.object().key());
        events.add("gone " + object.object().key());
    }

    private void checkVersion(VersionedObject object) {
        assertThat(object.version()).isGreaterThan(version);
        version = object.version();
        notifyAll();
    }

    @Override
    public synchronized void onEnd(String reason) {
        events.add("ended " + reason);
        notifyAll();
    }

    synchronized List<String> events() {
        return List.copyOf(events);
    }

    synchronized Map<ObjectKey, ClusterObject> objects() {
        return new TreeMap<>(objects);
    }

    /** Waits until the condition holds. */
    synchronized void await(BooleanSupplier condition) {
        long end = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean() && System.nanoTime() < end) {
            try {
                wait(50);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
        assertThat(condition.getAsBoolean()).as("after %s: %s", LIMIT, events).isTrue();
    }
}
