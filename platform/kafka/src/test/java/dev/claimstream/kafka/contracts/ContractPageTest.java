package dev.claimstream.kafka.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** The page of topics and records: complete, linked, well-formed, without foreign content. */
class ContractPageTest {
    private static final Pattern ANCHOR = Pattern.compile(" id=\"([^\"]+)\"");
    private static final Pattern LINK = Pattern.compile("href=\"([^\"]*)\"");
    private static final String PAGE = ContractPage.shipped();

    @Test
    void writesPageForRelease() throws Exception {
        Path file = Files.createDirectories(Path.of("target", "contracts")).resolve("index.html");
        Files.writeString(file, PAGE);
        assertThat(file).hasSize(PAGE.getBytes(StandardCharsets.UTF_8).length);
    }

    @Test
    void hasEveryTopicAndEveryFieldWithItsDoc() {
        for (Topic topic : Topics.shipped().all()) {
            assertThat(PAGE).contains("id=\"topic-" + topic.name() + "\"", Html.escape(topic.description()));
        }
        var records = new RecordCatalog(SubjectSchemas.shipped().bySubject().values());
        assertThat(records.all()).hasSizeGreaterThan(40).allSatisfy(record -> {
            assertThat(PAGE).contains("id=\"record-" + record.getName() + "\"", Html.escape(record.getDoc()));
            for (Schema.Field field : record.getFields()) {
                assertThat(PAGE)
                        .contains("id=\"%s.%s\"".formatted(record.getName(), field.name()), Html.escape(field.doc()));
            }
        });
    }

    @Test
    void everyLinkHasAnchorAndEveryAnchorIsUnique() {
        List<String> anchors = found(ANCHOR);
        assertThat(anchors).doesNotHaveDuplicates();
        assertThat(found(LINK)).isNotEmpty().allSatisfy(link -> {
            assertThat(link).startsWith("#");
            assertThat(anchors).contains(link.substring(1));
        });
    }

    @Test
    void isWellFormedAndLoadsNothing() throws Exception {
        assertThat(PAGE).doesNotContain("<script", "<link", "<img", "@import", "url(", "http:", "https:");
        String xml = PAGE.replace("<!doctype html>\n", "")
                .replaceAll("<meta ([^>]*)>", "<meta $1/>")
                .replace("<wbr>", "");
        var document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        assertThat(document.getElementsByTagName("table").getLength()).isGreaterThan(40);
    }

    @Test
    void describesTopicOfEachForm() {
        assertThat(entry("topic-inventory.v1"))
                .contains(
                        "<code>kind/place/name</code> (place: the node",
                        "<dd>1, by murmur2 of <code>place</code> before escaping; of the whole key if that part is empty",
                        "the last record of each key; a tombstone for 7 days",
                        "<code>agent</code>, <code>watcher</code>, <code>liveness</code>",
                        "href=\"#record-InventoryRecord\"",
                        "subject <code>inventory.v1-value</code>");
        assertThat(entry("topic-telemetry.v1")).contains("murmur2 of <code>node</code></dd>", "6 hours");
        assertThat(entry("topic-cells.in"))
                .contains("<dt>Key</dt><dd>none</dd>", "one for each cell, which the writer chooses");
        assertThat(entry("topic-bad-records.v1")).contains("no service");
        assertThat(entry("topic-cluster.v1")).contains("no record of the contracts");
    }

    @Test
    void describesFieldsAndUsersOfRecord() {
        assertThat(entry("record-DeletionMarker"))
                .contains(
                        "href=\"#record-ClaimsRecord\"",
                        "href=\"#record-InventoryRecord\"",
                        "required",
                        "&quot;&quot;");
        assertThat(entry("record-DeviceRecord"))
                .contains("map of <a href=\"#record-AttributeValueRecord\"", "array of <code>string</code>")
                .contains("<code>false</code>", "<code>[]</code>", "<code>{}</code>");
        assertThat(entry("record-ObjectMetaRecord"))
                .contains("<code>long</code>, <code>timestamp-micros</code>", "<code>null</code>");
        assertThat(entry("record-TickRecord")).contains("It has no fields.");
    }

    @Test
    void escapesTextOfContracts() {
        Schema schema = new Schema.Parser()
                .parse("{\"type\":\"record\",\"name\":\"X\",\"doc\":\"a < b & \\\"c\\\"\",\"fields\":[{\"name\":\"f\","
                        + "\"type\":\"string\",\"default\":\"<i>\",\"doc\":\"<script>\"}]}");
        Topic topic = Topic.builder("x.v1")
                .description("<b>")
                .config(new TreeMap<>(Map.of("retention.ms", "-1")))
                .writers(List.of("a&b"))
                .value(Optional.of("X"))
                .build();
        String page = ContractPage.of(
                new Topics(new TreeMap<>(Map.of("x.v1", topic))),
                new SubjectSchemas(new TreeMap<>(Map.of("x.v1-value", schema))));
        assertThat(page)
                .contains(
                        "&lt;b&gt;",
                        "a &lt; b &amp; &quot;c&quot;",
                        "&lt;i&gt;",
                        "&lt;script&gt;",
                        "a&amp;b",
                        "forever")
                .doesNotContain("<script>", "<i>", "<b>");
    }

    private static String entry(String anchor) {
        int start = PAGE.indexOf("<section id=\"" + anchor + "\"");
        assertThat(start).as(anchor).isNotNegative();
        return PAGE.substring(start, PAGE.indexOf("</section>", start));
    }

    private static List<String> found(Pattern pattern) {
        List<String> all = new ArrayList<>();
        var matcher = pattern.matcher(PAGE);
        while (matcher.find()) {
            all.add(matcher.group(1));
        }
        return all;
    }
}
