package dev.claimstream.kafka.contracts;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.kafka.common.config.TopicConfig;

/**
 * The documentation of all topics and records as one HTML page. The page contains its styles and needs no other file, no
 * script and no network.
 */
public final class ContractPage {
    private static final String NONE = "none";
    private static final String FOREVER = "-1";

    private final Topics topics;
    private final SubjectSchemas schemas;
    private final RecordCatalog records;

    private ContractPage(Topics topics, SubjectSchemas schemas) {
        this.topics = topics;
        this.schemas = schemas;
        this.records = new RecordCatalog(schemas.bySubject().values());
    }

    /** The page of the contracts with which this program was built. */
    public static String shipped() {
        return ShippedPage.PAGE;
    }

    static String of(Topics topics, SubjectSchemas schemas) {
        return new ContractPage(topics, schemas).html();
    }

    private String html() {
        return """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Claimstream: topics and records</title>
                <style>
                %s</style>
                </head>
                <body>
                <main>
                <header>
                <h1>Topics and records</h1>
                <p class="jump"><a href="#contents">Contents</a></p>
                <p>The contracts between Claimstream’s services and other programs: %d topics, %d records.</p>
                <dl class="facts">
                <dt>Values</dt><dd>a zero byte, the schema’s id (four bytes, big-endian), Avro’s binary encoding: the format of Confluent’s serializers</dd>
                <dt>Subject</dt><dd><code>TOPIC-value</code>, compatibility <code>FULL_TRANSITIVE</code></dd>
                <dt>Keys</dt><dd>text: parts joined by <code>/</code>; in a part, <code>%%</code> is written <code>%%25</code> and <code>/</code> is written <code>%%2F</code></dd>
                <dt>Times</dt><dd><code>timestamp-micros</code>: microseconds since 1970-01-01 UTC</dd>
                <dt>Quantities</dt><dd>text in the canonical form of Kubernetes, for example <code>80Gi</code></dd>
                </dl>
                </header>
                <section id="topics" class="group">
                <h2>Topics</h2>
                %s</section>
                <section id="records" class="group">
                <h2>Records</h2>
                <p>A field with a default may be missing in what a program writes. A default <code>null</code> means that the field may be absent.</p>
                %s</section>
                </main>
                <nav id="contents" aria-label="Contents">
                <h2><a href="#topics">Topics</a></h2>
                <ul>
                %s</ul>
                <h2><a href="#records">Records</a></h2>
                <ul>
                %s</ul>
                </nav>
                </body>
                </html>
                """.formatted(
                        styles(),
                        topics.all().size(),
                        records.all().size(),
                        topics.all().stream().map(this::topic).collect(Collectors.joining()),
                        records.all().stream().map(this::record).collect(Collectors.joining()),
                        topics.all().stream()
                                .map(topic -> item(topicAnchor(topic), topic.name()))
                                .collect(Collectors.joining()),
                        records.all().stream()
                                .map(each -> item(FieldHtml.recordAnchor(each.getName()), each.getName()))
                                .collect(Collectors.joining()));
    }

    private static String item(String anchor, String name) {
        return "<li>%s</li>\n".formatted(Html.link(anchor, name));
    }

    private String topic(Topic topic) {
        return """
                <section id="%s" class="entry">
                <h3><a href="#%1$s">%s</a></h3>
                <p>%s</p>
                <dl class="facts">
                <dt>Key</dt><dd>%s</dd>
                <dt>Partitions</dt><dd>%s, %s</dd>
                <dt>Kept</dt><dd>%s</dd>
                <dt>Written by</dt><dd>%s</dd>
                <dt>Read by</dt><dd>%s</dd>
                <dt>Value</dt><dd>%s</dd>
                </dl>
                </section>
                """.formatted(
                        topicAnchor(topic),
                        Html.breakable(topic.name()),
                        Html.escape(topic.description()),
                        key(topic),
                        partitions(topic),
                        partition(topic),
                        kept(topic),
                        Html.codes(topic.writers(), NONE),
                        Html.codes(topic.readers(), "no service"),
                        value(topic));
    }

    private static String key(Topic topic) {
        if (topic.keyParts().isEmpty()) {
            return NONE;
        }
        String parts = Html.code(String.join("/", topic.keyParts()));
        return topic.keyNote().isEmpty() ? parts : "%s (%s)".formatted(parts, Html.escape(topic.keyNote()));
    }

    private static String partition(Topic topic) {
        if (topic.partitionBy().isEmpty()) {
            return "which the writer chooses";
        }
        String parts = "by murmur2 of " + Html.codes(topic.partitionBy(), NONE);
        return topic.partitionBy().equals(topic.keyParts())
                ? parts
                : parts + " before escaping; of the whole key if that part is empty";
    }

    private static String partitions(Topic topic) {
        String count = String.valueOf(topic.partitions());
        return Topics.PER_CELL.contains(topic.name()) ? "one for each cell" : count;
    }

    private static String kept(Topic topic) {
        return topic.cleanup().equals(TopicConfig.CLEANUP_POLICY_COMPACT)
                ? "the last record of each key; a tombstone for %s"
                        .formatted(
                                duration(topic.config().getOrDefault(TopicConfig.DELETE_RETENTION_MS_CONFIG, FOREVER)))
                : duration(topic.config().getOrDefault(TopicConfig.RETENTION_MS_CONFIG, FOREVER));
    }

    private static String duration(String millis) {
        Duration time = Duration.ofMillis(Long.parseLong(millis));
        if (time.isNegative()) {
            return "forever";
        }
        return time.equals(Duration.ofDays(time.toDays()))
                ? counted(time.toDays(), "day")
                : counted(time.toHours(), "hour");
    }

    private static String counted(long count, String unit) {
        return String.format(Locale.ROOT, "%d %s%s", count, unit, count == 1 ? "" : "s");
    }

    private String value(Topic topic) {
        Schema schema = schemas.bySubject().get(topic.subject());
        return schema == null
                ? "no record of the contracts"
                : "%s, subject %s"
                        .formatted(
                                Html.link(FieldHtml.recordAnchor(schema.getName()), schema.getName()),
                                Html.code(topic.subject()));
    }

    private String record(Schema schema) {
        String name = schema.getName();
        return """
                <section id="%s" class="entry">
                <h3><a href="#%1$s">%s</a></h3>
                <p>%s</p>
                %s%s</section>
                """.formatted(
                        FieldHtml.recordAnchor(name),
                        Html.breakable(name),
                        Html.escape(schema.getDoc()),
                        usedBy(schema),
                        fields(schema));
    }

    private String usedBy(Schema schema) {
        List<String> links = new ArrayList<>();
        topics.all().stream()
                .filter(topic -> schema.equals(schemas.bySubject().get(topic.subject())))
                .forEach(topic -> links.add(Html.link(topicAnchor(topic), topic.name())));
        records.usersOf(schema.getName()).forEach(user -> links.add(Html.link(FieldHtml.recordAnchor(user), user)));
        return "<p class=\"users\">Used by %s</p>\n".formatted(String.join(", ", links));
    }

    private static String fields(Schema schema) {
        if (schema.getFields().isEmpty()) {
            return "<p class=\"users\">It has no fields.</p>\n";
        }
        return """
                <table>
                <thead><tr><th>Field</th><th>Type</th><th>Default</th><th>Meaning</th></tr></thead>
                <tbody>
                %s</tbody>
                </table>
                """.formatted(schema.getFields().stream()
                .map(field -> field(schema.getName(), field))
                .collect(Collectors.joining()));
    }

    private static String field(String record, Schema.Field field) {
        return """
                <tr id="%s"><th scope="row"><code>%s</code></th><td class="type">%s</td><td class="%s">%s</td><td class="doc">%s</td></tr>
                """.formatted(
                        Html.escape(record + "." + field.name()),
                        Html.breakable(field.name()),
                        FieldHtml.type(field.schema()),
                        field.hasDefaultValue() ? "default" : "default required",
                        FieldHtml.defaultOf(field),
                        Html.escape(field.doc()));
    }

    private static String topicAnchor(Topic topic) {
        return "topic-" + topic.name();
    }

    private static String styles() {
        try (InputStream css = ContractPage.class.getResourceAsStream("page.css")) {
            if (css == null) {
                throw new IllegalStateException("page.css is not on the class path");
            }
            return new String(css.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class ShippedPage {
        static final String PAGE = of(Topics.shipped(), SubjectSchemas.shipped());
    }
}
