import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;

/** The existing claims of {@code claims.v1}, with the devices in their status. */
final class ExistingClaims {
    private final LatestRecords<Claim> claims = new LatestRecords<>();
    private final Map<String, Integer> uids = new HashMap<>();

    /** @param devices the devices in its status */
    record Claim(String name, String uid, Set<String> devices, boolean isDeleting) {
        static Claim of(GenericRecord claim) {
            var meta = (GenericRecord) claim.get("meta");
            return new Claim(
                    AvroFields.text(meta, "namespace") + "/" + AvroFields.text(meta, "name"),
                    AvroFields.text(meta, "uid"),
                    claim.get("allocation") instanceof GenericRecord allocation
                            ? AvroFields.devices(allocation)
                            : Set.of(),
                    AvroFields.isTrue(meta, "deleting"));
        }

        @Override
        public String toString() {
            return name + " (" + uid + ")";
        }
    }

    /** The devices in the status of a claim, before and after. */
    record DeviceChange(String uid, String name, Set<String> before, Set<String> after) {}

    List<DeviceChange> add(TopicConsistency.TopicPosition position, String key, GenericRecord record) {
        var stamp = LatestRecords.RecordStamp.of(position, record);
        if (record.get("claim") instanceof GenericRecord claim) {
            return changes(claims.upsert(key, stamp, Claim.of(claim)).stream());
        }
        if (record.get("deleted") != null && key.startsWith("ResourceClaim/")) {
            return changes(claims.delete(key, stamp).stream());
        }
        if (record.get("synced") instanceof GenericRecord synced) {
            return changes(claims.sync(AvroFields.text(synced, "kind") + "/", stamp).stream());
        }
        return List.of();
    }

    List<DeviceChange> remove(String key) {
        return changes(claims.remove(key).stream());
    }

    /** A claim that another claim of the same name replaces releases its devices. */
    private List<DeviceChange> changes(Stream<LatestRecords.ContentChange<Claim>> changes) {
        return changes.flatMap(change -> {
                    Optional<Claim> before = change.before();
                    Optional<Claim> after = change.after();
                    before.ifPresent(claim -> uids.merge(claim.uid(), -1, ExistingClaims::sum));
                    after.ifPresent(claim -> uids.merge(claim.uid(), 1, Integer::sum));
                    if (before.isPresent()
                            && after.isPresent()
                            && before.get().uid().equals(after.get().uid())) {
                        return Stream.of(new DeviceChange(
                                after.get().uid(),
                                after.get().name(),
                                before.get().devices(),
                                after.get().devices()));
                    }
                    return Stream.concat(
                            before.stream()
                                    .map(claim ->
                                            new DeviceChange(claim.uid(), claim.name(), claim.devices(), Set.of())),
                            after.stream()
                                    .map(claim ->
                                            new DeviceChange(claim.uid(), claim.name(), Set.of(), claim.devices())));
                })
                .toList();
    }

    private static Integer sum(Integer a, Integer b) {
        return a + b == 0 ? null : Integer.valueOf(a + b);
    }

    boolean exists(String uid) {
        return uids.containsKey(uid);
    }

    void each(Consumer<Claim> action) {
        claims.each(action);
    }

    int count() {
        return uids.size();
    }
}
