package dev.claimstream.kafka.contracts;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.CompatibilityLevel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.LogicalType;
import org.apache.avro.Schema;

/**
 * The rules of a change after a release. Every schema is fully compatible with every released one. Beyond Avro's rules,
 * a released record or field stays, with its type, its logical type and its default. So does a topic with its key,
 * partitioning, cleanup and value.
 */
final class ReleaseRules {
    private ReleaseRules() {}

    /** A set of schemas that programs outside the repository use. */
    record Release(String version, SortedMap<String, Schema> bySubject, Topics topics) {}

    /** Reads the releases, one folder each, in the order of their names. */
    static List<Release> read(Path folder) throws IOException {
        List<Release> releases = new ArrayList<>();
        try (Stream<Path> folders = Files.list(folder)) {
            for (Path each : folders.filter(Files::isDirectory).sorted().toList()) {
                try (InputStream topics = Files.newInputStream(each.resolve("topics.yaml"))) {
                    releases.add(new Release(each.getFileName().toString(), schemas(each), Topics.read(topics)));
                }
            }
        }
        return releases;
    }

    private static SortedMap<String, Schema> schemas(Path folder) throws IOException {
        SortedMap<String, Schema> found = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(each -> each.toString().endsWith(SubjectSchemas.EXTENSION))
                    .toList()) {
                String subject = file.getFileName().toString().replace(SubjectSchemas.EXTENSION, "");
                found.put(subject, new Schema.Parser().parse(file.toFile()));
            }
        }
        return found;
    }

    /** What is not permitted in the current schemas after these releases; empty if everything is. */
    static List<String> objections(Map<String, Schema> current, List<Release> releases) {
        List<String> found = new ArrayList<>();
        for (Release release : releases) {
            release.bySubject().forEach((subject, before) -> {
                Schema now = current.get(subject);
                String location = "%s since %s".formatted(subject, release.version());
                if (now == null) {
                    found.add("%s: the subject is gone".formatted(location));
                } else {
                    CompatibilityLevel.FULL_TRANSITIVE
                            .objections(now, List.of(before))
                            .forEach(each -> found.add("%s: %s".formatted(location, each)));
                    losses(before, now).forEach(each -> found.add("%s: %s".formatted(location, each)));
                }
            });
        }
        return found;
    }

    /** What is not permitted in the topics after these releases: keys, partitioning, cleanup and values stay. */
    static List<String> topicObjections(Topics current, List<Release> releases) {
        List<String> found = new ArrayList<>();
        for (Release release : releases) {
            for (Topic before : release.topics().all()) {
                current.find(before.name())
                        .map(now -> changes(before, now))
                        .orElse(List.of("the topic is gone"))
                        .forEach(each ->
                                found.add("topic %s since %s: %s".formatted(before.name(), release.version(), each)));
            }
        }
        return found;
    }

    private static List<String> changes(Topic before, Topic now) {
        List<String> found = new ArrayList<>();
        if (!before.keyParts().equals(now.keyParts())) {
            found.add("the key is %s and not %s"
                    .formatted(String.join("/", now.keyParts()), String.join("/", before.keyParts())));
        }
        if (!before.partitionBy().equals(now.partitionBy())) {
            found.add("the partition is that of %s and not of %s".formatted(now.partitionBy(), before.partitionBy()));
        }
        if (!before.cleanup().equals(now.cleanup())) {
            found.add("the cleanup is %s and not %s".formatted(now.cleanup(), before.cleanup()));
        }
        if (!before.value().equals(now.value())) {
            found.add("the value is %s and not %s".formatted(now.value(), before.value()));
        }
        return found;
    }

    private static List<String> losses(Schema before, Schema now) {
        List<String> found = new ArrayList<>();
        Map<String, Schema> present = records(now);
        records(before).forEach((name, record) -> {
            Schema kept = present.get(name);
            if (kept == null) {
                found.add("record %s is gone".formatted(name));
            } else {
                record.getFields().forEach(field -> found.addAll(losses(name, field, kept.getField(field.name()))));
                kept.getFields().stream()
                        .filter(field -> record.getField(field.name()) == null && !field.hasDefaultValue())
                        .forEach(field ->
                                found.add("field %s.%s is new and has no default".formatted(name, field.name())));
            }
        });
        return found;
    }

    private static List<String> losses(String record, Schema.Field before, Schema.Field now) {
        String location = "field %s.%s".formatted(record, before.name());
        if (now == null) {
            return List.of(location + " is gone");
        }
        List<String> found = new ArrayList<>();
        String type = type(before.schema());
        if (!type.equals(type(now.schema()))) {
            found.add("%s has the type %s and not %s".formatted(location, type(now.schema()), type));
        }
        if (before.hasDefaultValue() != now.hasDefaultValue()
                || !Objects.equals(before.defaultVal(), now.defaultVal())) {
            found.add("%s has another default".formatted(location));
        }
        return found;
    }

    private static SortedMap<String, Schema> records(Schema schema) {
        SortedMap<String, Schema> byName = new TreeMap<>();
        new RecordCatalog(List.of(schema)).all().forEach(record -> byName.put(record.getFullName(), record));
        return byName;
    }

    private static String type(Schema schema) {
        return switch (schema.getType()) {
            case RECORD -> schema.getFullName();
            case ARRAY -> "array of " + type(schema.getElementType());
            case MAP -> "map of " + type(schema.getValueType());
            case UNION ->
                schema.getTypes().stream().map(ReleaseRules::type).toList().toString();
            default -> {
                LogicalType logical = schema.getLogicalType();
                yield schema.getType().getName() + (logical == null ? "" : " " + logical.getName());
            }
        };
    }
}
