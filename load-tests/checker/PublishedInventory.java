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

    void add(TopicConsistency.TopicPosition position, String key, GenericRecord record) {
        var stamp = LatestRecords.RecordStamp.of(position, record);
        if (record.get("slice") instanceof GenericRecord slice) {
            slices.upsert(key, stamp, devices(slice)).ifPresent(change -> changeSlice(change, position));
        } else if (record.get("node") instanceof GenericRecord node) {
            nodes.upsert(key, stamp, AvroFields.text((GenericRecord) node.get("meta"), "name"))
                    .ifPresent(change -> changeNode(change, position));
        } else if (record.get("deleted") != null) {
            slices.delete(key, stamp).ifPresent(change -> changeSlice(change, position));
            nodes.delete(key, stamp).ifPresent(change -> changeNode(change, position));
        } else if (record.get("synced") instanceof GenericRecord synced) {
            String prefix = AvroFields.text(synced, "kind") + "/";
            slices.sync(prefix, stamp).forEach(change -> changeSlice(change, position));
            nodes.sync(prefix, stamp).forEach(change -> changeNode(change, position));
        }
    }

    void remove(TopicConsistency.TopicPosition position, String key) {
        slices.remove(key).ifPresent(change -> changeSlice(change, position));
        nodes.remove(key).ifPresent(change -> changeNode(change, position));
    }

    private static Set<String> devices(GenericRecord slice) {
        Set<String> devices = new TreeSet<>();
        ((List<?>) slice.get("devices"))
                .forEach(each -> devices.add("%s/%s/%s"
                        .formatted(slice.get("driver"), slice.get("pool"), ((GenericRecord) each).get("name"))));
        return devices;
    }

    private void changeSlice(LatestRecords.ContentChange<Set<String>> change, TopicConsistency.TopicPosition position) {
        change.after()
                .ifPresent(devices -> devices.forEach(device -> {
                    slicesOfDevice.merge(device, 1, Integer::sum);
                    deviceUntil.put(device, EXISTS);
                }));
        change.before()
                .ifPresent(devices -> devices.forEach(device -> {
                    if (slicesOfDevice.merge(device, -1, Integer::sum) == 0) {
                        deviceUntil.put(device, position.timestampMs());
                    }
                }));
    }

    private void changeNode(LatestRecords.ContentChange<String> change, TopicConsistency.TopicPosition position) {
        change.before().ifPresent(node -> nodeUntil.put(node, position.timestampMs()));
        change.after().ifPresent(node -> nodeUntil.put(node, EXISTS));
    }

    /** Returns why a device could not be allocated at a time; empty if it existed. */
    Optional<String> deviceProblem(String device, long atMs) {
        return problem(deviceUntil.get(device), atMs);
    }

    Optional<String> nodeProblem(String node, long atMs) {
        return problem(nodeUntil.get(node), atMs);
    }

    private static Optional<String> problem(Long until, long atMs) {
        if (until == null) {
            return Optional.of("was never published");
        }
        return until < atMs
                ? Optional.of("was deleted at least %d s earlier".formatted((atMs - until) / 1000))
                : Optional.empty();
    }

    long deviceCount() {
        return slicesOfDevice.values().stream().filter(count -> count > 0).count();
    }
}
