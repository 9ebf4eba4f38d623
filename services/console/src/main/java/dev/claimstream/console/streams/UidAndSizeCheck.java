package dev.claimstream.console.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.wire.PublicRecord;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;

/**
 * Rejects valid objects that share a uid with another object of the batch or exceed the record size.
 * One instance per batch; not thread-safe.
 */
public final class UidAndSizeCheck {
    /** Limit of the serialised value, below the record limit, which also covers key, header and envelope. */
    private static final int BYTES_MAX = PublicTopicProducer.VALUE_BYTES_MAX;

    private static final Stamp STAMP = new Stamp("admission", 1, 1);

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final Map<Class<? extends SpecificRecord>, RecordSerde<SpecificRecord>> serdes = new HashMap<>();
    private final Map<KindAndUid, Manifest> admitted = new HashMap<>();

    /** The finding about the first rejected pod of each template. */
    private final Map<TemplatePosition, ManifestFinding> tooLargePods = new HashMap<>();

    /** The pod template of a workload: the start of the workload, and the path of the template. */
    private record TemplatePosition(SourceLocation workload, String path) {}

    private record KindAndUid(Kind kind, String uid) {}

    /** Returns why the object is rejected; the same finding for all pods of a template. An accepted object reserves its uid. */
    public Optional<ManifestFinding> check(Manifest manifest) {
        return tooLarge(manifest).or(() -> duplicateUid(manifest));
    }

    private Optional<ManifestFinding> tooLarge(Manifest manifest) {
        int size = size(manifest.object());
        if (size <= BYTES_MAX) {
            return Optional.empty();
        }
        ManifestFinding finding = manifest.error(
                "",
                manifest.object().key().toString(),
                "the object has %d bytes as a record, more than %d".formatted(size, BYTES_MAX),
                "shorten it; labels and annotations can be left out");
        return manifest.template()
                .map(path ->
                        tooLargePods.computeIfAbsent(new TemplatePosition(manifest.location(), path), _ -> finding))
                .or(() -> Optional.of(finding));
    }

    private int size(ClusterObject object) {
        return switch (PublicRecord.upsert(STAMP, object)) {
            case PublicRecord.InventoryTopicRecord record -> size(record.value());
            case PublicRecord.ClaimsTopicRecord record -> size(record.value());
        };
    }

    private int size(SpecificRecord value) {
        Class<? extends SpecificRecord> type = value.getClass();
        return serdes.computeIfAbsent(type, this::serde).write(type.getSimpleName(), value).length;
    }

    @SuppressWarnings("unchecked") // it writes only values of this type
    private RecordSerde<SpecificRecord> serde(Class<? extends SpecificRecord> type) {
        return AvroSerde.of((Class<SpecificRecord>) type, registry);
    }

    private Optional<ManifestFinding> duplicateUid(Manifest manifest) {
        ClusterObject object = manifest.object();
        if (object.meta().uid().isEmpty()) {
            return Optional.empty();
        }
        return Optional.ofNullable(admitted.putIfAbsent(
                        new KindAndUid(object.kind(), object.meta().uid()), manifest))
                .map(first -> manifest.error(
                        "metadata.uid",
                        object.meta().uid(),
                        "%s %s at %s already has this uid"
                                .formatted(
                                        object.kind().apiName(), first.object().key(), first.location()),
                        "leave the uid out; a new one is generated"));
    }
}
