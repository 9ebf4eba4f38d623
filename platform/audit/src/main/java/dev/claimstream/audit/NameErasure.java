package dev.claimstream.audit;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.jspecify.annotations.Nullable;

/**
 * Replaces texts in recorded values: names of pods, claims and namespaces, labels, annotations, messages and opaque configuration.
 *
 * <p>A list names the fields that stay, so a field of a newer schema is erased too. Numbers, times, UIDs, devices, nodes,
 * device classes, reasons and hashes stay: an auditor of devices needs them.
 */
final class NameErasure {
    /** The substitute for an erased text. The name of an object with a UID has its UID after it. */
    static final String ERASED = "erased";

    /** Texts and maps that stay, by the name of their field. */
    private static final Set<String> KEPT_FIELDS = Set.of(
            "event",
            "engine",
            "claimUid",
            "uid",
            "kind",
            "source",
            "topic",
            "node",
            "driver",
            "pool",
            "device",
            "request",
            "shareId",
            "resource",
            "deviceClassName",
            "allocationMode",
            "reason",
            "outcome",
            "auditId",
            "state",
            "consumedCapacity",
            "capacity",
            "protocol");

    /** Records that stay as they are: none of them is about a pod, a claim or a namespace. */
    private static final Set<String> KEPT_RECORDS = Set.of("ResourceSliceRecord", "CellSettingsRecord", "SyncMarker");

    /** Records whose field {@code name} is the name of a request. */
    private static final Set<String> REQUESTS = Set.of("DeviceRequestRecord", "DeviceSubRequest");

    private NameErasure() {}

    /** A copy of a record without names. */
    static GenericRecord erase(GenericRecord record) {
        Schema schema = record.getSchema();
        var erased = new GenericData.Record(schema);
        String uid = uid(record);
        schema.getFields()
                .forEach(field -> erased.put(
                        field.pos(),
                        field.name().equals("name") && !uid.isEmpty()
                                ? ERASED + "-" + uid
                                : value(schema, field, record.get(field.pos()))));
        return erased;
    }

    /** The UID of the object that a record is about, which makes its erased name unique; empty if there is none. */
    private static String uid(GenericRecord record) {
        return Stream.of("uid", "claimUid")
                .filter(record::hasField)
                .map(record::get)
                .map(String::valueOf)
                .findFirst()
                .orElse("");
    }

    private static @Nullable Object value(Schema owner, Schema.Field field, @Nullable Object value) {
        boolean isRetained = KEPT_RECORDS.contains(owner.getName())
                || KEPT_FIELDS.contains(field.name())
                || (REQUESTS.contains(owner.getName()) && field.name().equals("name"));
        return value(value, isRetained);
    }

    private static @Nullable Object value(@Nullable Object value, boolean isRetained) {
        return switch (value) {
            case GenericRecord record ->
                KEPT_RECORDS.contains(record.getSchema().getName()) ? record : erase(record);
            case List<?> elements ->
                elements.stream().map(each -> value(each, isRetained)).toList();
            case Map<?, ?> map -> isRetained ? map : Map.of();
            case CharSequence text -> isRetained || text.isEmpty() ? text : ERASED;
            case null, default -> value;
        };
    }
}
