package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceNode.Style;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** A validator for the part of JSON Schema draft 7 that the SARIF schema uses. Other keywords are errors. */
final class JsonSchema {
    private static final Set<String> ANNOTATIONS =
            Set.of("$schema", "$id", "title", "description", "default", "definitions");

    private final SourceNode root;
    private final List<String> violations = new ArrayList<>();

    private JsonSchema(SourceNode root) {
        this.root = root;
    }

    /** Returns the violations of a schema in a document, each with its JSON path. */
    static List<String> violations(SourceNode schema, SourceNode document) {
        var checking = new JsonSchema(schema);
        checking.check(schema, document, "$");
        return checking.violations;
    }

    private void check(SourceNode schema, SourceNode value, String at) {
        for (SourceNode.SourceField keyword : schema.fields()) {
            if (!ANNOTATIONS.contains(keyword.name())
                    && !isSatisfied(keyword.name(), keyword.value(), schema, value, at)) {
                violations.add("%s: against %s %s".formatted(at, keyword.name(), describe(keyword.value())));
            }
        }
    }

    private static String describe(SourceNode node) {
        return node instanceof SourceScalar scalar ? scalar.text() : "";
    }

    private boolean isSatisfied(String keyword, SourceNode wanted, SourceNode schema, SourceNode value, String at) {
        return switch (keyword) {
            case "$ref" -> {
                check(definition(text(wanted)), value, at);
                yield true;
            }
            case "type" -> isOfType(text(wanted), value);
            case "enum" -> wanted.items().stream().anyMatch(each -> text(each).equals(text(value)));
            case "required" -> wanted.items().stream().allMatch(each -> value.has(text(each)));
            case "properties" -> {
                value.fields()
                        .forEach(field -> wanted.get(field.name())
                                .ifPresent(sub -> check(sub, field.value(), at + "." + field.name())));
                yield true;
            }
            case "additionalProperties" -> checkAdditionalProperties(wanted, schema, value, at);
            case "items" -> {
                List<SourceNode> items = value.items();
                for (int i = 0; i < items.size(); i++) {
                    check(wanted, items.get(i), "%s[%d]".formatted(at, i));
                }
                yield true;
            }
            case "minItems" ->
                !(value instanceof SourceNode.SourceSequence) || value.items().size() >= number(wanted);
            case "uniqueItems" -> !(value instanceof SourceNode.SourceSequence) || areUnique(value.items());
            case "minimum" -> !isNumber(value) || number(value) >= number(wanted);
            case "maximum" -> !isNumber(value) || number(value) <= number(wanted);
            case "pattern" ->
                !isText(value)
                        || Pattern.compile(text(wanted)).matcher(text(value)).find();
            case "format" -> !isText(value) || isOfFormat(text(wanted), text(value));
            case "anyOf" -> wanted.items().stream().anyMatch(each -> isValid(each, value));
            case "oneOf" ->
                wanted.items().stream().filter(each -> isValid(each, value)).count() == 1;
            default -> throw new IllegalStateException("this test does not check the schema keyword " + keyword);
        };
    }

    private boolean isValid(SourceNode schema, SourceNode value) {
        var trial = new JsonSchema(root);
        trial.check(schema, value, "");
        return trial.violations.isEmpty();
    }

    private SourceNode definition(String reference) {
        String[] names = reference.substring("#/".length()).split("/", -1);
        return root.at(names).orElseThrow(() -> new IllegalStateException("there is no " + reference));
    }

    private boolean checkAdditionalProperties(SourceNode wanted, SourceNode schema, SourceNode value, String at) {
        Predicate<SourceNode.SourceField> isNamed = field ->
                schema.get("properties").filter(all -> all.has(field.name())).isPresent();
        List<SourceNode.SourceField> others =
                value.fields().stream().filter(isNamed.negate()).toList();
        if (wanted instanceof SourceScalar scalar) {
            return scalar.text().equals("true") || others.isEmpty();
        }
        others.forEach(field -> check(wanted, field.value(), at + "." + field.name()));
        return true;
    }

    private static boolean isOfType(String type, SourceNode value) {
        return switch (type) {
            case "object" -> value instanceof SourceNode.SourceMapping;
            case "array" -> value instanceof SourceNode.SourceSequence;
            case "string" -> isText(value);
            case "integer" -> isNumber(value) && !text(value).contains(".");
            case "number" -> isNumber(value);
            case "boolean" -> !isText(value) && Set.of("true", "false").contains(text(value));
            default -> throw new IllegalStateException("type " + type);
        };
    }

    private static boolean isText(SourceNode value) {
        return value instanceof SourceScalar scalar && scalar.style() != Style.PLAIN;
    }

    private static boolean isNumber(SourceNode value) {
        return value instanceof SourceScalar scalar
                && scalar.style() == Style.PLAIN
                && scalar.text().matches("-?\\d+(\\.\\d+)?");
    }

    private static boolean areUnique(List<SourceNode> items) {
        Set<String> texts = new HashSet<>();
        return items.stream().map(JsonSchema::canonical).allMatch(texts::add);
    }

    private static String canonical(SourceNode node) {
        return switch (node) {
            case SourceScalar scalar -> "%s %s".formatted(scalar.type(), scalar.text());
            case SourceNode.SourceSequence list ->
                list.items().stream().map(JsonSchema::canonical).toList().toString();
            case SourceNode.SourceMapping mapping ->
                mapping.entries().stream()
                        .map(each -> each.name() + "=" + canonical(each.value()))
                        .sorted()
                        .toList()
                        .toString();
        };
    }

    private static boolean isOfFormat(String format, String text) {
        try {
            var uri = new URI(text);
            return !format.equals("uri") || uri.isAbsolute();
        } catch (URISyntaxException e) {
            return format.equals("date-time") && text.contains("T");
        }
    }

    private static String text(SourceNode node) {
        return Optional.of(node)
                .filter(SourceScalar.class::isInstance)
                .map(SourceScalar.class::cast)
                .map(SourceScalar::text)
                .orElse("");
    }

    private static double number(SourceNode node) {
        return Double.parseDouble(text(node));
    }
}
