package dev.claimstream.console.streams;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.PublicTopics;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.wire.Published;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;

/** What is refused of objects that come together and can be read: a second one with the same uid, and one that no record can hold. */
public final class Admission {
    /** A record has a key, a header and an envelope besides the object. */
    private static final int BYTES_MAX = PublicTopics.VALUE_BYTES_MAX;

    private static final Stamp STAMP = new Stamp("admission", 1, 1);

    private final SchemaRegistry registry = SchemaRegistry.inMemory();
    private final Map<Class<? extends SpecificRecord>, RecordSerde<SpecificRecord>> serdes = new HashMap<>();
    private final Map<Identity, Manifest> admitted = new HashMap<>();

    private record Identity(Kind kind, String uid) {}

    /** Why an object is refused; one that is not counts from now on. */
    public Optional<Finding> refusal(Manifest manifest) {
        return tooLarge(manifest).or(() -> sameUid(manifest));
    }

    private Optional<Finding> tooLarge(Manifest manifest) {
        int size = size(manifest.object());
        return size <= BYTES_MAX
                ? Optional.empty()
                : Optional.of(manifest.error(
                        "",
                        manifest.object().key().toString(),
                        "the object has %d bytes as a record, more than %d".formatted(size, BYTES_MAX),
                        "shorten it; what it carries in labels and annotations can be left out"));
    }

    private int size(ClusterObject object) {
        return switch (Published.seen(STAMP, object)) {
            case Published.Inventory record -> size(record.value());
            case Published.Claims record -> size(record.value());
        };
    }

    private int size(SpecificRecord value) {
        Class<? extends SpecificRecord> type = value.getClass();
        return serdes.computeIfAbsent(type, this::serde).write(type.getSimpleName(), value).length;
    }

    @SuppressWarnings("unchecked") // it writes values of this type alone
    private RecordSerde<SpecificRecord> serde(Class<? extends SpecificRecord> type) {
        return AvroSerde.of((Class<SpecificRecord>) type, registry);
    }

    private Optional<Finding> sameUid(Manifest manifest) {
        ClusterObject object = manifest.object();
        if (object.meta().uid().isEmpty()) {
            return Optional.empty();
        }
        return Optional.ofNullable(admitted.putIfAbsent(
                        new Identity(object.kind(), object.meta().uid()), manifest))
                .map(first -> manifest.error(
                        "metadata.uid",
                        object.meta().uid(),
                        "%s %s at %s has this uid already"
                                .formatted(
                                        object.kind().apiName(), first.object().key(), first.place()),
                        "leave the uid out, then a new one is made"));
    }
}
