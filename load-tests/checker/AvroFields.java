import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;

/** Reads fields of the public schemas. */
final class AvroFields {
    private AvroFields() {}

    static String text(GenericRecord record, String field) {
        return String.valueOf(record.get(field));
    }

    static boolean isTrue(GenericRecord record, String field) {
        return Boolean.TRUE.equals(record.get(field));
    }

    /** Returns the kind, cell and number of a decision: {@code allocated #0.7}. */
    static String decisionLabel(GenericRecord decision) {
        return "%s #%s.%s".formatted(decisionKind(decision), decision.get("cell"), decision.get("number"));
    }

    private static String decisionKind(GenericRecord decision) {
        for (String kind : List.of("allocated", "revoked", "deallocation")) {
            if (decision.get(kind) != null) {
                return kind;
            }
        }
        return isTrue(decision, "released") ? "released" : "pending";
    }

    /** Returns the devices that an allocation holds: none with admin access, and none that are shared in parts. */
    static Set<String> devices(GenericRecord allocation) {
        Set<String> devices = new TreeSet<>();
        for (Object each : (List<?>) allocation.get("results")) {
            var result = (GenericRecord) each;
            if (!isTrue(result, "adminAccess") && result.get("shareId") == null) {
                var id = (GenericRecord) result.get("device");
                devices.add("%s/%s/%s".formatted(id.get("driver"), id.get("pool"), id.get("device")));
            }
        }
        return devices;
    }

    /** Returns the uids of the consumers for which the claim is reserved. */
    static Set<String> consumers(GenericRecord allocated) {
        Set<String> uids = new TreeSet<>();
        ((List<?>) allocated.get("reservedFor")).forEach(each -> uids.add(text((GenericRecord) each, "uid")));
        return uids;
    }
}
