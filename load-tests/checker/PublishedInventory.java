import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** The slices and nodes of {@code inventory.v1}, with the times of their deletions. */
final class PublishedInventory {
    private static final long EXISTS = Long.MAX_VALUE;

    private final LatestRecords<Set<String>> slices = new LatestRecords<>();
    private final LatestRecords<String> nodes = new LatestRecords<>();

    /** Time of deletion in ms since 1970, by device; {@link #EXISTS} while the device exists. */
    private final Map<String, Long> deviceUntil = new HashMap<>();

    private final Map<String, Integer> slicesOfDevice = new HashMap<>();
    private final Map<String, Long> nodeUntil = new HashMap<>();

    void take(Judge.TopicPosition place, String key, GenericRecord record) {
        var stamp = LatestRecords.RecordStamp.of(place, record);
        if (record.get("slice") instanceof GenericRecord slice) {
            slices.upsert(key, stamp, devices(slice)).ifPresent(change -> slice(change, place));
        } else if (record.get("node") instanceof GenericRecord node) {
            nodes.upsert(key, stamp, Judge.text((GenericRecord) node.get("meta"), "name")).ifPresent(change -> node(change, place));
        } else if (record.get("deleted") != null) {
            slices.delete(key, stamp).ifPresent(change -> slice(change, place));
            nodes.delete(key, stamp).ifPresent(change -> node(change, place));
        } else if (record.get("synced") instanceof GenericRecord listed) {
            String prefix = Judge.text(listed, "kind") + "/";
            slices.sync(prefix, stamp).forEach(change -> slice(change, place));
            nodes.sync(prefix, stamp).forEach(change -> node(change, place));
        }
    }

    void forget(Judge.TopicPosition place, String key) {
        slices.forget(key).ifPresent(change -> slice(change, place));
        nodes.forget(key).ifPresent(change -> node(change, place));
    }

    private static Set<String> devices(GenericRecord slice) {
        Set<String> devices = new TreeSet<>();
        ((List<?>) slice.get("devices"))
                .forEach(each -> devices.add("%s/%s/%s".formatted(slice.get("driver"), slice.get("pool"), ((GenericRecord) each).get("name"))));
        return devices;
    }

    private void slice(LatestRecords.ContentChange<Set<String>> change, Judge.TopicPosition place) {
        change.after().ifPresent(devices -> devices.forEach(device -> {
            slicesOfDevice.merge(device, 1, Integer::sum);
            deviceUntil.put(device, EXISTS);
        }));
        change.before().ifPresent(devices -> devices.forEach(device -> {
            if (slicesOfDevice.merge(device, -1, Integer::sum) == 0) {
                deviceUntil.put(device, place.timestampMs());
            }
        }));
    }

    private void node(LatestRecords.ContentChange<String> change, Judge.TopicPosition place) {
        change.before().ifPresent(node -> nodeUntil.put(node, place.timestampMs()));
        change.after().ifPresent(node -> nodeUntil.put(node, EXISTS));
    }

    /** Returns why a device could not be allocated at a time; empty if it existed. */
    Optional<String> whyNotDevice(String device, long atMs) {
        return whyNot(deviceUntil.get(device), atMs);
    }

    Optional<String> whyNotNode(String node, long atMs) {
        return whyNot(nodeUntil.get(node), atMs);
    }

    private static Optional<String> whyNot(Long until, long atMs) {
        if (until == null) {
            return Optional.of("was never published");
        }
        return until < atMs ? Optional.of("was gone since %d s".formatted((atMs - until) / 1000)) : Optional.empty();
    }

    long deviceCount() {
        return slicesOfDevice.values().stream().filter(count -> count > 0).count();
    }
}
