package dev.claimstream.kafka.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.contracts.ReleaseRules.Release;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the schemas with every release, and breaks each rule of a release once. */
class ReleaseRulesTest {
    private static final Path RELEASED = Path.of("..", "..", "schemas", "released");
    private static final Path TOPICS = Path.of("..", "..", "schemas", "topics.yaml");
    private static final Topics NO_TOPICS = new Topics(new TreeMap<>());
    private static final String SUBJECT = "inventory.v1-value";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void currentSchemasKeepEveryRelease() throws IOException {
        List<Release> releases = ReleaseRules.read(RELEASED);
        assertThat(releases).extracting(Release::version).contains("1.0.0");
        assertThat(releases)
                .allSatisfy(release -> assertThat(release.bySubject())
                        .as(release.version())
                        .containsKeys(
                                "inventory.v1-value", "claims.v1-value", "decisions.v1-value", "ledger.v1-value"));
        assertThat(ReleaseRules.objections(SubjectSchemas.shipped().bySubject(), releases))
                .as("changes after a release, see schemas/README.md")
                .isEmpty();
        assertThat(ReleaseRules.topicObjections(Topics.shipped().withChangelogs(), releases))
                .as("changes after a release, see schemas/README.md")
                .isEmpty();
    }

    @Test
    void filesOfReleasesNeverChange() throws IOException, NoSuchAlgorithmException {
        Map<String, String> sums = new TreeMap<>();
        for (String line : Files.readAllLines(RELEASED.resolve("SHA256SUMS"))) {
            String[] parts = line.split(" {2}", 2);
            sums.put(parts[1], parts[0]);
        }
        Map<String, String> found = new TreeMap<>();
        try (Stream<Path> files = Files.walk(RELEASED)) {
            for (Path file : files.filter(each -> Files.isRegularFile(each) && !RELEASED.equals(each.getParent()))
                    .toList()) {
                byte[] sum = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
                found.put(
                        RELEASED.relativize(file).toString().replace(File.separatorChar, '/'),
                        HexFormat.of().formatHex(sum));
            }
        }
        assertThat(found).as("restore the file from the tag schemas/VERSION").isEqualTo(sums);
    }

    /** Each change is made in a copy of a released file, as a mistaken edit of the sources would. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            removed field without default | ,?\\{"name":"generation","type":"long","doc":"[^"]*"}   | ``                                                       | field dev.claimstream.schemas.ResourceSliceRecord.generation is gone
            removed field with default    | ,?\\{"name":"unschedulable","type":"boolean",[^}]*}     | ``                                                       | field dev.claimstream.schemas.NodeRecord.unschedulable is gone
            changed type                  | "name":"generation","type":"long"                     | "name":"generation","type":"string"                      | field dev.claimstream.schemas.ResourceSliceRecord.generation has the type string and not long
            wider type                    | "name":"index","type":"int"                           | "name":"index","type":"long"                             | field dev.claimstream.schemas.ProbeRecord.index has the type long and not int
            other unit of time            | "timestamp-micros"                                    | "timestamp-millis"                                       | long timestamp-millis] and not [null, long timestamp-micros]
            field made optional           | "name":"driver","type":"string"                       | "name":"driver","type":["null","string"],"default":null  | has the type [null, string] and not string
            other default                 | ("name":"ready","type":"boolean".*?"default":)true    | $1false                                                  | field dev.claimstream.schemas.NodeRecord.ready has another default
            new field without default     | ("name":"ResourceSliceRecord".*?"fields":\\[)         | $1{"name":"zone","type":"string","doc":"d"},             | field dev.claimstream.schemas.ResourceSliceRecord.zone is new and has no default
            renamed field                 | "name":"resourceSliceCount"                           | "name":"slices"                                          | field dev.claimstream.schemas.ResourceSliceRecord.resourceSliceCount is gone
            renamed record                | "ResourceSliceRecord"                                 | "SliceRecord"                                            | record dev.claimstream.schemas.ResourceSliceRecord is gone
            renamed namespace             | "dev.claimstream.schemas"                             | "dev.claimstream.records"                                | record dev.claimstream.schemas.InventoryRecord is gone
            """)
    void rejectsChange(String change, String part, String replacement, String objection) throws IOException {
        String released = shipped(SUBJECT).toString();
        String broken = released.replaceAll(part, replacement);
        assertThat(broken).as("the change is made").isNotEqualTo(released);
        List<String> objections = objectionsTo(Map.of(SUBJECT, broken));
        assertThat(objections).as(change).anyMatch(each -> each.contains(objection));
        assertThat(objections).allMatch(each -> each.startsWith(SUBJECT + " since 9.0.0: "));
    }

    @Test
    void rejectsMissingSubject() throws IOException {
        assertThat(objectionsTo(Map.of())).containsExactly(SUBJECT + " since 9.0.0: the subject is gone");
    }

    @Test
    void acceptsNewFieldWithDefaultNewRecordAndOtherDoc() throws IOException {
        String released = shipped(SUBJECT).toString();
        String grown = released.replaceFirst(
                        "(\"name\":\"ResourceSliceRecord\".*?\"fields\":\\[)",
                        "$1{\"name\":\"zone\",\"type\":[\"null\",{\"type\":\"record\",\"name\":\"Zone\",\"fields\":[]}],"
                                + "\"default\":null,\"doc\":\"d\"},")
                .replace("\"doc\":\"Metadata.\"", "\"doc\":\"The metadata.\"");
        assertThat(grown).contains("Zone", "The metadata.");
        assertThat(objectionsTo(Map.of(SUBJECT, grown))).isEmpty();
    }

    @Test
    void comparesWithEveryRelease() {
        List<Release> releases = List.of(
                new Release("1.0.0", new TreeMap<>(Map.of("x-value", record("1"))), NO_TOPICS),
                new Release("1.1.0", new TreeMap<>(Map.of("x-value", record("2"))), NO_TOPICS));
        assertThat(ReleaseRules.objections(Map.of("x-value", record("2")), releases))
                .containsExactly("x-value since 1.0.0: field X.a has another default");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            other key        | key: kind/place/name             | key: kind/name/place             | topic inventory.v1 since 9.0.0: the key is kind/name/place and not kind/place/name
            other partition  | partition-by: [namespace]        | partition-by: [name]             | topic claims.v1 since 9.0.0: the partition is that of [name] and not of [namespace]
            other cleanup    | cleanup: compact                 | cleanup: delete                  | topic claims.v1 since 9.0.0: the cleanup is delete and not compact
            other value      | schemas.OutcomeRecord            | schemas.BadRecord                | topic outcomes.v1 since 9.0.0: the value is Optional[dev.claimstream.schemas.BadRecord] and not Optional[dev.claimstream.schemas.OutcomeRecord]
            renamed topic    | decisions.v1:                    | verdicts.v1:                     | topic decisions.v1 since 9.0.0: the topic is gone
            """)
    void rejectsChangeOfTopic(String change, String part, String replacement, String objection) throws IOException {
        String released = Files.readString(TOPICS);
        String broken = released.replace(part, replacement);
        assertThat(broken).as("the change is made").isNotEqualTo(released);
        var release = new Release("9.0.0", new TreeMap<>(), topics(released));
        assertThat(ReleaseRules.topicObjections(topics(released), List.of(release)))
                .isEmpty();
        assertThat(ReleaseRules.topicObjections(topics(broken), List.of(release)))
                .as(change)
                .contains(objection);
    }

    /** Verifiers of the ledger find the hash at the end of the bytes. */
    @Test
    void hashStaysLastFieldOfLedgerEvent() {
        assertThat(shipped("ledger.v1-value").getFields())
                .last()
                .extracting(Schema.Field::name)
                .isEqualTo("hash");
    }

    private List<String> objectionsTo(Map<String, String> texts) throws IOException {
        Path release = Files.createDirectories(folder.resolve("9.0.0"));
        Schema released = shipped(SUBJECT);
        Files.writeString(release.resolve(SUBJECT + SubjectSchemas.EXTENSION), SubjectSchemas.text(released));
        Files.copy(TOPICS, release.resolve("topics.yaml"), StandardCopyOption.REPLACE_EXISTING);
        Map<String, Schema> current = new TreeMap<>();
        texts.forEach((subject, text) -> current.put(subject, new Schema.Parser().parse(text)));
        return ReleaseRules.objections(current, ReleaseRules.read(folder));
    }

    private static Schema shipped(String subject) {
        return Objects.requireNonNull(SubjectSchemas.shipped().bySubject().get(subject), subject);
    }

    private static Topics topics(String yaml) {
        return Topics.read(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)));
    }

    private static Schema record(String value) {
        return new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"X\",\"fields\":[{\"name\":\"a\",\"type\":\"int\",\"default\":"
                        + value + "}]}");
    }
}
