package dev.claimstream.kafka;

import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.config.TopicConfig;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Parses {@code topics.yaml}. An unknown or missing field is an error that names the field. */
final class TopicsYaml {
    private static final Set<String> FIELDS = Set.of(
            "holds",
            "key",
            "key-note",
            "partition-by",
            "partitions",
            "cleanup",
            "retention",
            "config",
            "writers",
            "readers",
            "value");

    private final String topic;
    private final Map<?, ?> fields;

    private TopicsYaml(String topic, Map<?, ?> fields) {
        this.topic = topic;
        this.fields = fields;
    }

    static Topics read(InputStream yaml) {
        Map<?, ?> document = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
        SortedMap<String, Topic> topics = new TreeMap<>();
        document.forEach((name, fields) -> {
            String text = String.valueOf(name);
            if (!(fields instanceof Map<?, ?> map)) {
                throw new IllegalArgumentException("topics.yaml: %s has no fields".formatted(text));
            }
            topics.put(text, new TopicsYaml(text, map).topic());
        });
        return new Topics(topics);
    }

    private Topic topic() {
        var unknown = new TreeSet<String>();
        fields.keySet().forEach(field -> unknown.add(String.valueOf(field)));
        unknown.removeAll(FIELDS);
        if (!unknown.isEmpty()) {
            throw invalid("unknown field " + unknown.first());
        }
        return Topic.builder(topic)
                .description(text("holds"))
                .keyParts(parts(text("key")))
                .keyNote(Optional.ofNullable(fields.get("key-note"))
                        .map(String::valueOf)
                        .orElse(""))
                .partitionBy(texts("partition-by"))
                .partitions(number("partitions"))
                .config(config())
                .writers(texts("writers"))
                .readers(texts("readers"))
                .value(Optional.ofNullable(fields.get("value")).map(String::valueOf))
                .build();
    }

    private SortedMap<String, String> config() {
        var config = new TreeMap<String, String>();
        boolean compacted = compacted();
        config.put(TopicConfig.CLEANUP_POLICY_CONFIG, text("cleanup"));
        config.put(
                compacted ? TopicConfig.DELETE_RETENTION_MS_CONFIG : TopicConfig.RETENTION_MS_CONFIG,
                Long.toString(retentionMs()));
        if (fields.get("config") instanceof Map<?, ?> more) {
            more.forEach((name, value) -> config.put(String.valueOf(name), String.valueOf(value)));
        }
        return config;
    }

    private boolean compacted() {
        return switch (text("cleanup")) {
            case TopicConfig.CLEANUP_POLICY_COMPACT -> true;
            case TopicConfig.CLEANUP_POLICY_DELETE -> false;
            default -> throw invalid("cleanup is " + text("cleanup") + ", which is neither compact nor delete");
        };
    }

    private long retentionMs() {
        String text = text("retention");
        return text.equals("forever") ? -1 : Duration.parse(text).toMillis();
    }

    private String text(String field) {
        Object value = fields.get(field);
        if (value == null) {
            throw invalid(field + " is missing");
        }
        return String.valueOf(value);
    }

    private int number(String field) {
        if (fields.get(field) instanceof Integer number) {
            return number;
        }
        throw invalid(field + " is not a whole number");
    }

    private List<String> texts(String field) {
        if (fields.get(field) instanceof List<?> list) {
            return list.stream().map(String::valueOf).toList();
        }
        throw invalid(field + " is not a list");
    }

    private static List<String> parts(String key) {
        return key.isEmpty() ? List.of() : Arrays.asList(key.split("/", -1));
    }

    private IllegalArgumentException invalid(String what) {
        return new IllegalArgumentException("topics.yaml: %s: %s".formatted(topic, what));
    }
}
