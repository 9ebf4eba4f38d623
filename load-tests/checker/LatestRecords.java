import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The latest record of each key. Sources may repeat records, deliver them late, and relist. Not thread-safe. */
final class LatestRecords<T> {
    private final Map<String, KnownRecord<T>> entries = new HashMap<>();

    /** Source, partition, epoch and version of a record. An epoch begins with a list. */
    record RecordStamp(String source, int partition, long epoch, long version) {
        static RecordStamp of(TopicConsistency.TopicPosition position, GenericRecord record) {
            return new RecordStamp(
                    AvroFields.text(record, "source"), position.partition(), (long) record.get("epoch"), (long)
                            record.get("version"));
        }
    }

    /** The content of a key before and after a record; empty while the object does not exist. */
    record ContentChange<T>(Optional<T> before, Optional<T> after) {}

    private record KnownRecord<T>(RecordStamp stamp, Optional<T> content) {}

    /** Applies a record with an object. Empty if a newer record of the key is known. */
    Optional<ContentChange<T>> upsert(String key, RecordStamp stamp, T content) {
        KnownRecord<T> known = entries.get(key);
        if (known != null && !isNewer(stamp, known)) {
            repeat(key, stamp, known);
            return Optional.empty();
        }
        long epoch = known == null ? stamp.epoch : Math.max(stamp.epoch, known.stamp.epoch);
        entries.put(
                key,
                new KnownRecord<>(
                        new RecordStamp(stamp.source, stamp.partition, epoch, stamp.version), Optional.of(content)));
        return Optional.of(new ContentChange<>(known == null ? Optional.empty() : known.content, Optional.of(content)));
    }

    private static <T> boolean isNewer(RecordStamp stamp, KnownRecord<T> known) {
        return stamp.source.equals(known.stamp.source) ? stamp.version > known.stamp.version : known.content.isEmpty();
    }

    /** Keeps the epoch of a repeated record, so that the end of its list does not delete the object. */
    private void repeat(String key, RecordStamp stamp, KnownRecord<T> known) {
        if (stamp.source.equals(known.stamp.source) && stamp.epoch > known.stamp.epoch) {
            entries.put(
                    key,
                    new KnownRecord<>(
                            new RecordStamp(stamp.source, stamp.partition, stamp.epoch, known.stamp.version),
                            known.content));
        }
    }

    /** Applies the deletion of an object. Empty if the object does not exist or a newer record is known. */
    Optional<ContentChange<T>> delete(String key, RecordStamp stamp) {
        KnownRecord<T> known = entries.get(key);
        if (known == null || !stamp.source.equals(known.stamp.source) || stamp.version <= known.stamp.version) {
            return Optional.empty();
        }
        entries.put(key, new KnownRecord<>(stamp, Optional.empty()));
        return known.content.map(before -> new ContentChange<>(Optional.of(before), Optional.empty()));
    }

    /** Deletes the objects of a source and partition that are missing in its complete list. Newer records are kept. */
    List<ContentChange<T>> sync(String prefix, RecordStamp stamp) {
        List<ContentChange<T>> changes = new ArrayList<>();
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
            changes.add(new ContentChange<>(known.content, Optional.empty()));
            return new KnownRecord<>(known.stamp, Optional.empty());
        });
        return changes;
    }

    /** Removes the key at a tombstone, if the object is deleted. An existing object stays. */
    Optional<ContentChange<T>> remove(String key) {
        KnownRecord<T> known = entries.get(key);
        if (known != null && known.content.isEmpty()) {
            entries.remove(key);
        }
        return Optional.empty();
    }

    void each(Consumer<T> action) {
        entries.values().forEach(entry -> entry.content.ifPresent(action));
    }
}
