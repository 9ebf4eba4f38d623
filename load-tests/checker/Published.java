import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** Slices and nodes as inventory.v1 shows them, and when what is gone went. */
final class Published {
    private static final long STANDS = Long.MAX_VALUE;

    private final Told<Set<String>> slices = new Told<>();
    private final Told<String> nodes = new Told<>();

    /** Until when it was there. */
    private final Map<String, Long> deviceUntil = new HashMap<>();

    private final Map<String, Integer> showings = new HashMap<>();
    private final Map<String, Long> nodeUntil = new HashMap<>();

    void take(Judge.Place place, String key, GenericRecord record) {
        var stamp = Told.Stamp.of(place, record);
        if (record.get("slice") instanceof GenericRecord slice) {
            slices.shown(key, stamp, devices(slice)).ifPresent(change -> slice(change, place));
        } else if (record.get("node") instanceof GenericRecord node) {
            nodes.shown(key, stamp, Judge.text((GenericRecord) node.get("meta"), "name")).ifPresent(change -> node(change, place));
        } else if (record.get("deleted") != null) {
            slices.gone(key, stamp).ifPresent(change -> slice(change, place));
            nodes.gone(key, stamp).ifPresent(change -> node(change, place));
        } else if (record.get("synced") instanceof GenericRecord listed) {
            String prefix = Judge.text(listed, "kind") + "/";
            slices.listed(prefix, stamp).forEach(change -> slice(change, place));
            nodes.listed(prefix, stamp).forEach(change -> node(change, place));
        }
    }

    void forget(Judge.Place place, String key) {
        slices.forget(key).ifPresent(change -> slice(change, place));
        nodes.forget(key).ifPresent(change -> node(change, place));
    }

    private static Set<String> devices(GenericRecord slice) {
        Set<String> devices = new TreeSet<>();
        ((List<?>) slice.get("devices"))
                .forEach(each -> devices.add("%s/%s/%s".formatted(slice.get("driver"), slice.get("pool"), ((GenericRecord) each).get("name"))));
        return devices;
    }

    private void slice(Told.Change<Set<String>> change, Judge.Place place) {
        change.after().ifPresent(devices -> devices.forEach(device -> {
            showings.merge(device, 1, Integer::sum);
            deviceUntil.put(device, STANDS);
        }));
        change.before().ifPresent(devices -> devices.forEach(device -> {
            if (showings.merge(device, -1, Integer::sum) == 0) {
                deviceUntil.put(device, place.timestampMs());
            }
        }));
    }

    private void node(Told.Change<String> change, Judge.Place place) {
        change.before().ifPresent(node -> nodeUntil.put(node, place.timestampMs()));
        change.after().ifPresent(node -> nodeUntil.put(node, STANDS));
    }

    /** Why a device could not be given at a time. */
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
        return showings.values().stream().filter(count -> count > 0).count();
    }
}
