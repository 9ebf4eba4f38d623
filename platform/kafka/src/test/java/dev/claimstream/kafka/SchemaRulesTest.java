package dev.claimstream.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.contracts.SubjectSchemas;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

/** Rules for Avro schemas. {@code ReleaseRulesTest} compares them with the releases. */
class SchemaRulesTest {
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
    void writesSchemasForRelease() throws IOException {
        List<Path> files = SubjectSchemas.shipped().write(CURRENT);
        assertThat(files).hasSameSizeAs(current().keySet());
        for (Path file : files) {
            String subject = file.getFileName().toString().replace(SubjectSchemas.EXTENSION, "");
            assertThat(new Schema.Parser().parse(file.toFile()))
                    .isEqualTo(current().get(subject));
        }
        assertThat(CURRENT.resolve("inventory.v1-value.avsc")).content().doesNotContain("avro.java.string");
    }

    private static SortedMap<String, Schema> current() {
        return SubjectSchemas.shipped().bySubject();
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
}
