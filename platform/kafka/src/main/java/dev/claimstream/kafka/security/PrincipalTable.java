package dev.claimstream.kafka.security;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The table of permissions: what each principal may do in Kafka, and nothing more.
 *
 * <p>Permissions on topics follow from the writers and readers in {@code topics.yaml}; the others are in
 * {@code principals.yaml}. Read and Write include Describe.
 */
public final class PrincipalTable {
    private static final String RESOURCE = "/dev/claimstream/schemas/principals.yaml";
    private static final Set<String> FIELDS = Set.of(
            "does", "services", "writes", "creates", "groups", "describes-groups", "transactional-ids", "quotas");

    private final SortedMap<String, KafkaPrincipal> byName;

    private PrincipalTable(SortedMap<String, KafkaPrincipal> byName) {
        this.byName = byName;
    }

    /** The principals of the contracts with which this program was built. */
    public static PrincipalTable shipped() {
        try (InputStream yaml = PrincipalTable.class.getResourceAsStream(RESOURCE)) {
            if (yaml == null) {
                throw new IllegalStateException("%s is not on the class path".formatted(RESOURCE));
            }
            return read(yaml, Topics.shipped().withChangelogs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static PrincipalTable read(InputStream yaml, Topics topics) {
        Map<?, ?> document = new Yaml(new SafeConstructor(new LoaderOptions())).load(yaml);
        SortedMap<String, KafkaPrincipal> principals = new TreeMap<>();
        document.forEach((name, fields) -> {
            String text = String.valueOf(name);
            principals.put(
                    text,
                    new PrincipalReader(text, fields instanceof Map<?, ?> map ? map : Map.of(), topics).principal());
        });
        return new PrincipalTable(principals);
    }

    /** All principals, ordered by name. */
    public Collection<KafkaPrincipal> all() {
        return byName.values();
    }

    /**
     * The principal with this name.
     *
     * @throws IllegalArgumentException if the contracts do not have it
     */
    public KafkaPrincipal get(String name) {
        KafkaPrincipal found = byName.get(name);
        if (found == null) {
            throw new IllegalArgumentException(
                    "principal %s is not in principals.yaml, which has %s".formatted(name, byName.keySet()));
        }
        return found;
    }

    /** Reads one principal. An unknown or missing field is an error that names the field. */
    private record PrincipalReader(String name, Map<?, ?> fields, Topics topics) {
        KafkaPrincipal principal() {
            var unknown = new TreeSet<String>();
            fields.keySet().forEach(field -> unknown.add(String.valueOf(field)));
            unknown.removeAll(FIELDS);
            if (!unknown.isEmpty()) {
                throw invalid("unknown field " + unknown.first());
            }
            SortedMap<String, Long> quotas = new TreeMap<>();
            map("quotas").forEach((quota, value) -> quotas.put(String.valueOf(quota), ((Number) value).longValue()));
            return new KafkaPrincipal(name, String.valueOf(field("does")), permissions(), quotas);
        }

        private List<KafkaPermission> permissions() {
            List<KafkaPermission> all = new ArrayList<>();
            topics.all().forEach(topic -> {
                Set<AclOperation> operations = operations(topic);
                if (!operations.isEmpty()) {
                    all.add(KafkaPermission.on(
                            name,
                            ResourceType.TOPIC,
                            PatternType.LITERAL,
                            topic.name(),
                            operations.toArray(AclOperation[]::new)));
                }
            });
            patterns("groups", ResourceType.GROUP, AclOperation.READ, all);
            if (fields.containsKey("describes-groups")) {
                patterns("describes-groups", ResourceType.GROUP, AclOperation.DESCRIBE, all);
            }
            patterns("transactional-ids", ResourceType.TRANSACTIONAL_ID, AclOperation.WRITE, all);
            return all;
        }

        private Set<AclOperation> operations(Topic topic) {
            var operations = new TreeSet<AclOperation>();
            List<String> services = texts("services");
            if (services.stream().anyMatch(topic.readers()::contains)) {
                operations.add(AclOperation.READ);
            }
            if (services.stream().anyMatch(topic.writers()::contains)
                    || texts("writes").contains(topic.name())) {
                operations.add(AclOperation.WRITE);
            }
            if (Boolean.TRUE.equals(field("creates"))) {
                operations.addAll(Set.of(AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS, AclOperation.CREATE));
            }
            return operations;
        }

        private void patterns(String field, ResourceType type, AclOperation operation, List<KafkaPermission> all) {
            map(field)
                    .forEach((pattern, kind) -> all.add(KafkaPermission.on(
                            name, type, patternType(field, String.valueOf(kind)), String.valueOf(pattern), operation)));
        }

        private PatternType patternType(String field, String kind) {
            return switch (kind) {
                case "literal" -> PatternType.LITERAL;
                case "prefix" -> PatternType.PREFIXED;
                default -> throw invalid("%s has %s, which is neither literal nor prefix".formatted(field, kind));
            };
        }

        private Object field(String field) {
            Object value = fields.get(field);
            if (value == null) {
                throw invalid(field + " is missing");
            }
            return value;
        }

        private List<String> texts(String field) {
            if (field(field) instanceof List<?> list) {
                return list.stream().map(String::valueOf).toList();
            }
            throw invalid(field + " is not a list");
        }

        private Map<?, ?> map(String field) {
            if (field(field) instanceof Map<?, ?> map) {
                return map;
            }
            throw invalid(field + " is not a mapping");
        }

        private IllegalArgumentException invalid(String what) {
            return new IllegalArgumentException("principals.yaml: %s: %s".formatted(name, what));
        }
    }
}
