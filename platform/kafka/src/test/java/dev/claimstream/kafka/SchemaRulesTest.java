package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.kafka.registry.CompatibilityLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** Rules for Avro schemas, and their compatibility with released versions. */
class SchemaRulesTest {
    private static final Path RELEASED = Path.of("..", "..", "schemas", "released");
    private static final Path CURRENT = Path.of("target", "subjects");

    @Test
    void everyRecordAndFieldHasDoc() {
        assertThat(records())
                .allSatisfy(record ->
                        assertThat(record.getDoc()).as(record.getName()).isNotBlank())
                .flatExtracting(Schema::getFields)
                .allSatisfy(field -> assertThat(field.doc()).as(field.name()).isNotBlank());
    }

    @Test
    void noExtensibleFieldIsEnumOrUnion() {
        assertThat(records())
                .flatExtracting(Schema::getFields)
                .allSatisfy(field -> assertThat(violations(field.schema(), field))
                        .as(field.name())
                        .isEmpty());
    }

    @Test
    void everySchemaIsCompatibleWithReleases() throws IOException {
        SortedMap<String, List<Schema>> released = released();
        if (released.isEmpty()) {
            System.out.println("schemas/released: no release yet, nothing to compare");
        }
        assertThat(objections(current(), released)).isEmpty();
    }

    @Test
    void findsIncompatibleChanges() {
        Schema before = record("{\"name\":\"a\",\"type\":\"string\",\"doc\":\"d\"}");
        Schema without = record("{\"name\":\"b\",\"type\":\"string\",\"default\":\"\",\"doc\":\"d\"}");
        Schema retyped = record("{\"name\":\"a\",\"type\":\"long\",\"doc\":\"d\"}");
        Schema grown = record("{\"name\":\"a\",\"type\":\"string\",\"doc\":\"d\"},"
                + "{\"name\":\"b\",\"type\":[\"null\",\"string\"],\"default\":null,\"doc\":\"d\"}");
        var released = new TreeMap<String, List<Schema>>();
        released.put("x-value", List.of(before));
        assertThat(objections(new TreeMap<>(Map.of("x-value", without)), released))
                .singleElement()
                .asString()
                .contains("x-value", "read by version 1", "READER_FIELD_MISSING_DEFAULT_VALUE");
        assertThat(objections(new TreeMap<>(Map.of("x-value", retyped)), released))
                .isNotEmpty();
        assertThat(objections(new TreeMap<>(), released)).containsExactly("x-value: released, and gone");
        assertThat(objections(new TreeMap<>(Map.of("x-value", grown)), released))
                .isEmpty();
    }

    @Test
    void writesSchemasForRelease() throws IOException {
        List<Path> files = SubjectSchemas.shipped().write(CURRENT);
        assertThat(files).hasSameSizeAs(current().keySet());
        for (Path file : files) {
            String subject = file.getFileName().toString().replace(SubjectSchemas.EXTENSION, "");
            assertThat(new Schema.Parser().parse(file.toFile())).isEqualTo(current().get(subject));
        }
        assertThat(CURRENT.resolve("inventory.v1-value.avsc")).content().doesNotContain("avro.java.string");
    }

    private static List<String> objections(
            SortedMap<String, Schema> current, SortedMap<String, List<Schema>> released) {
        List<String> found = new ArrayList<>();
        released.forEach((subject, versions) -> {
            Schema now = current.get(subject);
            if (now == null) {
                found.add(subject + ": released, and gone");
            } else {
                CompatibilityLevel.FULL_TRANSITIVE
                        .objections(now, versions)
                        .forEach(each -> found.add(subject + ": " + each));
            }
        });
        return found;
    }

    private static SortedMap<String, Schema> current() {
        return SubjectSchemas.shipped().bySubject();
    }

    /** Schemas of all releases by subject, in the order of the folder names. */
    private static SortedMap<String, List<Schema>> released() throws IOException {
        var released = new TreeMap<String, List<Schema>>();
        if (!Files.isDirectory(RELEASED)) {
            return released;
        }
        try (Stream<Path> files = Files.walk(RELEASED)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".avsc"))
                    .sorted()
                    .toList()) {
                String subject = file.getFileName().toString().replace(".avsc", "");
                released.computeIfAbsent(subject, name -> new ArrayList<>())
                        .add(new Schema.Parser().parse(Files.readString(file)));
            }
        }
        return released;
    }

    private static Set<Schema> records() {
        var names = new TreeSet<String>();
        var records = new LinkedHashSet<Schema>();
        current().values().forEach(schema -> collect(schema, names, records));
        assertThat(names).hasSizeGreaterThan(40);
        return records;
    }

    private static void collect(Schema schema, Set<String> names, Set<Schema> records) {
        switch (schema.getType()) {
            case RECORD -> {
                if (names.add(schema.getFullName())) {
                    records.add(schema);
                    schema.getFields().forEach(field -> collect(field.schema(), names, records));
                }
            }
            case ARRAY -> collect(schema.getElementType(), names, records);
            case MAP -> collect(schema.getValueType(), names, records);
            case UNION -> schema.getTypes().forEach(branch -> collect(branch, names, records));
            default -> {
                // has no nested schema
            }
        }
    }

    private static List<String> violations(Schema schema, Schema.Field field) {
        return switch (schema.getType()) {
            case ENUM -> List.of("an enum cannot grow: use a string");
            case UNION ->
                schema.getTypes().size() == 2
                                && schema.getTypes().getFirst().getType() == Schema.Type.NULL
                                && field.schema().equals(schema)
                                && field.defaultVal() == JsonProperties.NULL_VALUE
                        ? violations(schema.getTypes().getLast(), field)
                        : List.of("a union is [null, X] with default null, of a field");
            case ARRAY -> violations(schema.getElementType(), field);
            case MAP -> violations(schema.getValueType(), field);
            default -> List.of();
        };
    }

    private static Schema record(String fields) {
        return new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"X\",\"doc\":\"d\",\"fields\":[" + fields + "]}");
    }
}
