import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The last word per key, of sources that can repeat themselves, be late, and relist. */
final class Told<T> {
    private final Map<String, Entry<T>> entries = new HashMap<>();

    /** Who said it where, in which of its lists, and how new it is. */
    record Stamp(String source, int partition, long epoch, long version) {
        static Stamp of(Judge.Place place, GenericRecord record) {
            return new Stamp(Judge.text(record, "source"), place.partition(), (long) record.get("epoch"), (long) record.get("version"));
        }
    }

    record Change<T>(Optional<T> before, Optional<T> after) {}

    private record Entry<T>(Stamp stamp, Optional<T> content) {}

    /** Nothing, where it is no news. */
    Optional<Change<T>> shown(String key, Stamp stamp, T content) {
        Entry<T> known = entries.get(key);
        if (known != null && !isNews(stamp, known)) {
            shownAgain(key, stamp, known);
            return Optional.empty();
        }
        long epoch = known == null ? stamp.epoch : Math.max(stamp.epoch, known.stamp.epoch);
        entries.put(key, new Entry<>(new Stamp(stamp.source, stamp.partition, epoch, stamp.version), Optional.of(content)));
        return Optional.of(new Change<>(known == null ? Optional.empty() : known.content, Optional.of(content)));
    }

    private static <T> boolean isNews(Stamp stamp, Entry<T> known) {
        return stamp.source.equals(known.stamp.source) ? stamp.version > known.stamp.version : known.content.isEmpty();
    }

    private void shownAgain(String key, Stamp stamp, Entry<T> known) {
        if (stamp.source.equals(known.stamp.source) && stamp.epoch > known.stamp.epoch) {
            entries.put(key, new Entry<>(new Stamp(stamp.source, stamp.partition, stamp.epoch, known.stamp.version), known.content));
        }
    }

    Optional<Change<T>> gone(String key, Stamp stamp) {
        Entry<T> known = entries.get(key);
        if (known == null || !stamp.source.equals(known.stamp.source) || stamp.version <= known.stamp.version) {
            return Optional.empty();
        }
        entries.put(key, new Entry<>(stamp, Optional.empty()));
        return known.content.map(before -> new Change<>(Optional.of(before), Optional.empty()));
    }

    /** A source has shown in one partition all that it has of a kind; what came after the list is newer than it. */
    List<Change<T>> listed(String prefix, Stamp stamp) {
        List<Change<T>> changes = new ArrayList<>();
        entries.replaceAll((key, known) -> {
            boolean isSwept = key.startsWith(prefix)
                    && known.stamp.source.equals(stamp.source)
                    && known.stamp.partition == stamp.partition
                    && known.stamp.epoch < stamp.epoch
                    && known.stamp.version <= stamp.version
                    && known.content.isPresent();
            if (!isSwept) {
                return known;
            }
            changes.add(new Change<>(known.content, Optional.empty()));
            return new Entry<>(known.stamp, Optional.empty());
        });
        return changes;
    }

    /** A tombstone follows a withdrawal, or a list that did not show the object: without them it changes nothing. */
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
