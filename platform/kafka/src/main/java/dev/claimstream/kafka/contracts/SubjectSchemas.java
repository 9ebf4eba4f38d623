package dev.claimstream.kafka.contracts;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.claimstream.kafka.PublishedSchema;
import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.schemas.RouterStateRow;
import dev.claimstream.schemas.StateRow;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;

/** The schemas of all subjects of the contracts. Each schema is complete: it contains every record that it uses. */
public record SubjectSchemas(SortedMap<String, Schema> bySubject) {
    public static final String EXTENSION = ".avsc";

    /** Begin of the subject of the rows of a cell. */
    public static final String CELL_ROWS = "cell-rows";

    /** Begin of the subject of the rows of the router. */
    public static final String ROUTER_ROWS = "router-rows";

    private static final String VALUE = "-value";
    private static final ObjectMapper JSON = new ObjectMapper();

    public SubjectSchemas {
        bySubject = Collections.unmodifiableSortedMap(new TreeMap<>(bySubject));
    }

    /** The schemas with which this program was built. */
    public static SubjectSchemas shipped() {
        return ShippedSchemas.SCHEMAS;
    }

    /** The schemas that the services need in a registry: those of the contracts, and those of the rows of the allocator's state. */
    public static SubjectSchemas ofServices() {
        SortedMap<String, Schema> all = new TreeMap<>(shipped().bySubject());
        all.put(CELL_ROWS + VALUE, PublishedSchema.of(StateRow.getClassSchema()));
        all.put(ROUTER_ROWS + VALUE, PublishedSchema.of(RouterStateRow.getClassSchema()));
        return new SubjectSchemas(all);
    }

    /** Only this subject, which can be named by its topic too; empty if there is none. */
    public Optional<SubjectSchemas> find(String name) {
        return Stream.of(name, name + VALUE)
                .filter(bySubject.keySet()::contains)
                .findFirst()
                .map(subject -> new SubjectSchemas(new TreeMap<>(Map.of(subject, bySubject.get(subject)))));
    }

    /**
     * Registers each schema under its subject.
     *
     * @throws dev.claimstream.kafka.registry.RegistryException if the registry rejects one, or does not respond
     */
    public void register(SchemaRegistry registry) {
        bySubject.forEach((subject, schema) -> {
            int unused = registry.register(subject, schema);
        });
    }

    /** A subject in words: its name, the name of its record, and what the record is. */
    public record SubjectSummary(String subject, String record, String meaning) {}

    /** The subjects in words, in their order. */
    public List<SubjectSummary> summaries() {
        return bySubject.entrySet().stream()
                .map(each -> new SubjectSummary(each.getKey(), each.getValue().getName(), meaning(each.getValue())))
                .toList();
    }

    /** The first sentence of the doc, without the topic's name. */
    private static String meaning(Schema schema) {
        return schema.getDoc().replaceFirst("^Value of [^:]*: ", "").replaceFirst("\\. .*", ".");
    }

    /** All schemas as indented JSON, one after the other. */
    public String text() {
        return bySubject.values().stream().map(SubjectSchemas::text).collect(Collectors.joining());
    }

    /** The schema as indented JSON, with a line feed at its end. */
    static String text(Schema schema) {
        try {
            return JSON.readTree(schema.toString()).toPrettyString() + "\n";
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Writes each schema to {@code SUBJECT.avsc} in the folder, which is created if it is missing. Other files stay.
     *
     * @return the files, in the order of the subjects
     */
    public List<Path> write(Path folder) throws IOException {
        Files.createDirectories(folder);
        List<Path> files = new ArrayList<>();
        for (var each : bySubject.entrySet()) {
            files.add(Files.writeString(folder.resolve(each.getKey() + EXTENSION), text(each.getValue())));
        }
        return files;
    }

    private static final class ShippedSchemas {
        static final SubjectSchemas SCHEMAS = read();

        private static SubjectSchemas read() {
            SortedMap<String, Schema> found = new TreeMap<>();
            for (Topic topic : Topics.shipped().all()) {
                topic.value().ifPresent(name -> found.put(topic.subject(), PublishedSchema.of(generated(name))));
            }
            return new SubjectSchemas(found);
        }

        private static Schema generated(String className) {
            try {
                return SpecificData.get().getSchema(Class.forName(className));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(
                        "topics.yaml names the value %s, which has no schema".formatted(className), e);
            }
        }
    }
}
