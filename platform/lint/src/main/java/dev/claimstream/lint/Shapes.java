package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The fields of pods, and of what has a template for pods, by their types in Kubernetes 1.37: what a strict API server reads before it
 * looks at values. The table is made by {@code src/test/schema}.
 */
final class Shapes {
    private static final String LIST = "[]";
    private static final String MAP = "{}";
    private static final Set<String> READ_ELSEWHERE = Set.of("Pod", "Node", "Namespace");
    private static final Pattern QUANTITY =
            Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][-+]?[0-9]+)?");

    /** Fields by name, each with the word for its type. */
    private static final Map<String, Map<String, String>> TYPES = types();

    private static final Map<String, String> KINDS = Map.ofEntries(
            Map.entry("v1 Pod", "Pod"),
            Map.entry("v1 Node", "Node"),
            Map.entry("v1 Namespace", "Namespace"),
            Map.entry("v1 PodTemplate", "PodTemplate"),
            Map.entry("v1 ReplicationController", "ReplicationController"),
            Map.entry("apps/v1 Deployment", "Deployment"),
            Map.entry("apps/v1 StatefulSet", "StatefulSet"),
            Map.entry("apps/v1 DaemonSet", "DaemonSet"),
            Map.entry("apps/v1 ReplicaSet", "ReplicaSet"),
            Map.entry("batch/v1 Job", "Job"),
            Map.entry("batch/v1 CronJob", "CronJob"));

    private final Written object;
    private final List<Diagnosis> found = new ArrayList<>();

    private Shapes(Written object) {
        this.object = object;
    }

    private static Map<String, Map<String, String>> types() {
        Map<String, Map<String, String>> types = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(Shapes.class.getResourceAsStream("core.schema"))) {
            new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().forEach(line -> {
                List<String> words = List.of(line.split(" "));
                Map<String, String> fields = new LinkedHashMap<>();
                for (String field : words.subList(1, words.size())) {
                    int colon = field.indexOf(':');
                    fields.put(field.substring(0, colon), field.substring(colon + 1));
                }
                types.put(words.getFirst(), fields);
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return types;
    }

    /** What does not belong into an object; nothing for kinds that are not in the table. */
    static List<Diagnosis> findings(Written object) {
        String type = KINDS.get(object.apiVersion() + " " + object.kind());
        if (type == null) {
            return List.of();
        }
        Shapes shapes = new Shapes(object);
        for (SourceNode.Entry field : object.root().fields()) {
            boolean isRead = READ_ELSEWHERE.contains(type) && !field.name().equals("spec");
            if (!isRead) {
                shapes.field(type, "", field, new HashSet<>());
            }
        }
        return shapes.found;
    }

    private void value(String type, String path, SourceNode node, SourceNode at) {
        if (node.isNull()) {
            return;
        }
        if (type.startsWith(LIST)) {
            list(type.substring(LIST.length()), path, node, at);
        } else if (type.startsWith(MAP)) {
            map(type.substring(MAP.length()), path, node, at);
        } else if (TYPES.containsKey(type)) {
            fields(type, path, node, at);
        } else {
            scalar(type, path, node, at);
        }
    }

    private void list(String type, String path, SourceNode node, SourceNode at) {
        if (!(node instanceof SourceNode.Sequence)) {
            wrongType(path, node, at, "a list", "begin each member with '- '");
        }
        List<SourceNode> items = node.items();
        for (int i = 0; i < items.size(); i++) {
            value(type, "%s[%d]".formatted(path, i), items.get(i), items.get(i));
        }
    }

    private void map(String type, String path, SourceNode node, SourceNode at) {
        if (!(node instanceof SourceNode.Mapping)) {
            wrongType(path, node, at, "fields", "write its fields below it, indented");
        }
        for (SourceNode.Entry entry : node.fields()) {
            value(type, "%s[%s]".formatted(path, entry.name()), entry.value(), entry.key());
        }
    }

    private void fields(String type, String path, SourceNode node, SourceNode at) {
        if (!(node instanceof SourceNode.Mapping)) {
            wrongType(path, node, at, "fields", "write its fields below it, indented");
        }
        Set<String> seen = new HashSet<>();
        node.fields().forEach(entry -> field(type, path, entry, seen));
    }

    private void field(String type, String path, SourceNode.Entry entry, Set<String> seen) {
        Map<String, String> known = TYPES.getOrDefault(type, Map.of());
        String at = path.isEmpty() ? entry.name() : path + "." + entry.name();
        String fieldType = known.get(entry.name());
        if (!seen.add(entry.name())) {
            String message = "the field is there twice, this is the second";
            add(Rule.REPEATED_FIELD, entry.key(), at, "", message, "leave one of the two out");
        } else if (fieldType == null) {
            unknown(type, at, entry, known);
        } else {
            value(fieldType, at, entry.value(), entry.key());
        }
    }

    private void unknown(String type, String at, SourceNode.Entry entry, Map<String, String> known) {
        Optional<String> meant =
                known.keySet().stream().filter(entry.name()::equalsIgnoreCase).findFirst();
        boolean isSource = type.equals("PodResourceClaim") && entry.name().equals("source");
        String remedy = isSource
                ? "it was removed in 1.31: write resourceClaimName or resourceClaimTemplateName directly"
                : meant.map(name -> "did you mean " + name + "?").orElse("leave it out");
        Rule rule = isSource ? Rule.CLAIM_SOURCE : meant.isPresent() ? Rule.MISSPELT_FIELD : Rule.UNKNOWN_FIELD;
        add(rule, entry.key(), at, "", "unknown field", remedy);
    }

    private void scalar(String type, String path, SourceNode node, SourceNode at) {
        if (type.equals("any")) {
            return;
        }
        String wanted = switch (type) {
            case "string" -> "a text";
            case "bool" -> "a boolean";
            case "int" -> "a whole number";
            case "quantity" -> "a quantity";
            default -> "a text or a number";
        };
        String remedy = switch (type) {
            case "string" -> "put the value in double quotes";
            case "bool" -> "write true or false without quotes";
            case "quantity" -> "write a quantity such as 4, 500m or 40Gi";
            default -> "write a whole number without quotes";
        };
        if (!(node instanceof SourceNode.Scalar scalar)) {
            wrongType(path, node, at, wanted, remedy);
        } else if (!fits(type, scalar)) {
            wrongType(path, node, at, wanted, remedy);
        }
    }

    private static boolean fits(String type, SourceNode.Scalar scalar) {
        boolean isNumber = scalar.type() == ScalarType.INTEGER || scalar.type() == ScalarType.FLOAT;
        return switch (type) {
            case "string" -> scalar.type() == ScalarType.TEXT;
            case "bool" -> scalar.type() == ScalarType.BOOL;
            case "int" -> scalar.type() == ScalarType.INTEGER || isWhole(scalar);
            case "quantity" ->
                isNumber
                        || (scalar.type() == ScalarType.TEXT
                                && QUANTITY.matcher(scalar.text()).matches());
            default -> isNumber || scalar.type() == ScalarType.TEXT;
        };
    }

    private static boolean isWhole(SourceNode.Scalar scalar) {
        return scalar.type() == ScalarType.FLOAT && scalar.text().matches("[-+]?[0-9]+(\\.0*)?");
    }

    private void wrongType(String path, SourceNode node, SourceNode at, String wanted, String remedy) {
        String value = node instanceof SourceNode.Scalar scalar ? scalar.text() : "";
        String sort = switch (node) {
            case SourceNode.Scalar scalar -> scalar.type().words();
            case SourceNode.Sequence _ -> "a list";
            case SourceNode.Mapping _ -> "fields";
        };
        add(Rule.WRONG_TYPE, at, path, value, "expected %s, found %s".formatted(wanted, sort), remedy);
    }

    private void add(Rule rule, SourceNode at, String path, String value, String message, String remedy) {
        found.add(object.error(rule, at, path, value, message, remedy));
    }
}
