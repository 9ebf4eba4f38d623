import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The latest record of each key. Sources may repeat records, deliver them late, and relist. Not thread-safe. */
final class LatestRecords<T> {
    private final Map<String, Entry<T>> entries = new HashMap<>();

    /** Source, partition, epoch and version of a record. An epoch begins with a list. */
    record Stamp(String source, int partition, long epoch, long version) {
        static Stamp of(Judge.Place place, GenericRecord record) {
            return new Stamp(Judge.text(record, "source"), place.partition(), (long) record.get("epoch"), (long) record.get("version"));
        }
    }

    /** The content of a key before and after a record; empty while the object does not exist. */
    record Change<T>(Optional<T> before, Optional<T> after) {}

    private record Entry<T>(Stamp stamp, Optional<T> content) {}

    /** Applies a record with an object. Empty if a newer record of the key is known. */
    Optional<Change<T>> upsert(String key, Stamp stamp, T content) {
        Entry<T> known = entries.get(key);
        if (known != null && !isNewer(stamp, known)) {
            repeat(key, stamp, known);
            return Optional.empty();
        }
        long epoch = known == null ? stamp.epoch : Math.max(stamp.epoch, known.stamp.epoch);
        entries.put(key, new Entry<>(new Stamp(stamp.source, stamp.partition, epoch, stamp.version), Optional.of(content)));
        return Optional.of(new Change<>(known == null ? Optional.empty() : known.content, Optional.of(content)));
    }

    private static <T> boolean isNewer(Stamp stamp, Entry<T> known) {
        return stamp.source.equals(known.stamp.source) ? stamp.version > known.stamp.version : known.content.isEmpty();
    }

    /** Keeps the epoch of a repeated record, so that the end of its list does not delete the object. */
    private void repeat(String key, Stamp stamp, Entry<T> known) {
        if (stamp.source.equals(known.stamp.source) && stamp.epoch > known.stamp.epoch) {
            entries.put(key, new Entry<>(new Stamp(stamp.source, stamp.partition, stamp.epoch, known.stamp.version), known.content));
        }
    }

    /** Applies the deletion of an object. Empty if the object does not exist or a newer record is known. */
    Optional<Change<T>> delete(String key, Stamp stamp) {
        Entry<T> known = entries.get(key);
        if (known == null || !stamp.source.equals(known.stamp.source) || stamp.version <= known.stamp.version) {
            return Optional.empty();
        }
        entries.put(key, new Entry<>(stamp, Optional.empty()));
        return known.content.map(before -> new Change<>(Optional.of(before), Optional.empty()));
    }

    /** Deletes the objects of a source and partition that are missing in its complete list. Newer records are kept. */
    List<Change<T>> sync(String prefix, Stamp stamp) {
        List<Change<T>> changes = new ArrayList<>();
        entries.replaceAll((key, known) -> {
            boolean isMissing = key.startsWith(prefix)
                    && known.stamp.source.equals(stamp.source)
                    && known.stamp.partition == stamp.partition
                    && known.stamp.epoch < stamp.epoch
                    && known.stamp.version <= stamp.version
                    && known.content.isPresent();
            if (!isMissing) {
                return known;
            }
            changes.add(new Change<>(known.content, Optional.empty()));
            return new Entry<>(known.stamp, Optional.empty());
        });
        return changes;
    }

    /** Removes the key at a tombstone, if the object is deleted. An existing object stays. */
    Optional<Change<T>> forget(String key) {
        Entry<T> known = entries.get(key);
        if (known != null && known.content.isEmpty()) {
            entries.remove(key);
        }
        return Optional.empty();
    }

    void each(Consumer<T> action) {
        entries.values().forEach(entry -> entry.content.ifPresent(action));
    }
}
