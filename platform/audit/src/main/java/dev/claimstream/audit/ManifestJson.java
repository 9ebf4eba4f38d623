package dev.claimstream.audit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.SortedMap;
import java.util.TreeMap;

/** Fields that the manifests of states and of telemetry share. */
final class ManifestJson {
    private ManifestJson() {}

    /**
     * Rejects a format that this release does not know.
     *
     * @param newest the newest format that this release reads
     * @throws AuditException if the format is newer
     */
    static void checkFormat(JsonNode json, int newest, StoredFile manifest) {
        int format = json.required("format").asInt();
        if (format > newest) {
            throw new AuditException(
                    "%s has format %d, and this release reads up to format %d: use the release that wrote it, or a later one"
                            .formatted(manifest, format, newest));
        }
    }

    /** Returns the Avro schemas by their ids, as JSON. */
    static SortedMap<Integer, String> schemas(JsonNode json) {
        var schemas = new TreeMap<Integer, String>();
        json.required("schemas")
                .properties()
                .forEach(each -> schemas.put(
                        Integer.valueOf(each.getKey()), each.getValue().asText()));
        return schemas;
    }
}
