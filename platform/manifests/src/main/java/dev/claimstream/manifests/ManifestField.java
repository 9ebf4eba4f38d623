package dev.claimstream.manifests;

import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A field of a manifest while it is read: its value, if any, and the way to report findings about it.
 *
 * <p>{@code null} counts as absent. A value of the wrong type is reported once and then counts as absent.
 */
final class ManifestField {
    private final Optional<DocumentNode> node;
    private final FieldPath path;
    private final int line;
    private final int column;
    private final ObjectReadContext report;
    private boolean hasTypeError;

    ManifestField(Optional<DocumentNode> node, FieldPath path, int line, int column, ObjectReadContext report) {
        this.node = node.filter(n -> !(n instanceof DocumentNode.DocumentScalar s && s.type() == ScalarType.NULL));
        this.path = path;
        this.line = line;
        this.column = column;
        this.report = report;
    }

    boolean isPresent() {
        return node.isPresent();
    }

    FieldPath path() {
        return path;
    }

    ObjectReadContext report() {
        return report;
    }

    Optional<DocumentNode> node() {
        return node;
    }

    /** Returns the same field without reports: another reader of it reports its findings. */
    ManifestField withoutFindings() {
        return new ManifestField(node, path, line, column, report.withoutFindings());
    }

    /** Creates a warning about this field, which is reported later or not at all. */
    ManifestFinding warning(String value, String message, String remedy) {
        return new ManifestFinding(ManifestFinding.Severity.WARNING, location(), path.text(), value, message, remedy);
    }

    SourceLocation location() {
        return report.location(line, column);
    }

    /** Records the location of the field for later checks, if the field is present. */
    ManifestField recordLocation() {
        if (isPresent()) {
            report.recordLocation(path, line, column);
        }
        return this;
    }

    /** Returns the string; empty if the field is absent. */
    String text() {
        return optionalText().orElse("");
    }

    Optional<String> optionalText() {
        return scalar("a text")
                .filter(scalar -> hasType(scalar, ScalarType.TEXT, "put the value in double quotes"))
                .map(DocumentNode.DocumentScalar::text);
    }

    Optional<Boolean> flag() {
        String remedy = "write true or false without quotes";
        return scalar("a boolean")
                .filter(scalar -> hasType(scalar, ScalarType.BOOL, remedy))
                .map(scalar -> ScalarType.isTrue(scalar.text()));
    }

    boolean isTrue() {
        return flag().orElse(false);
    }

    long integer(long absent) {
        return optionalInteger().orElse(absent);
    }

    Optional<Long> optionalInteger() {
        String remedy = "write a whole number without quotes";
        return scalar("a whole number").flatMap(scalar -> {
            Optional<String> digits = scalar.type() == ScalarType.INTEGER || scalar.type() == ScalarType.FLOAT
                    ? ScalarType.number(scalar.text())
                    : Optional.empty();
            try {
                return Optional.of(new BigDecimal(digits.orElse("x")).longValueExact());
            } catch (NumberFormatException e) {
                reportWrongType("a whole number", scalar, remedy);
            } catch (ArithmeticException e) {
                error(scalar.text(), "Invalid value: not a whole number of 64 bits", "write a smaller whole number");
            }
            return Optional.empty();
        });
    }

    Optional<Quantity> quantity() {
        String remedy = "write a quantity such as 4, 500m or 40Gi";
        return scalar("a quantity").flatMap(scalar -> {
            if (scalar.type() == ScalarType.BOOL) {
                reportWrongType("a quantity", scalar, remedy);
                return Optional.empty();
            }
            boolean number = scalar.type() == ScalarType.INTEGER;
            try {
                return Optional.of(Quantity.parse(
                        number ? ScalarType.number(scalar.text()).orElse(scalar.text()) : scalar.text()));
            } catch (IllegalArgumentException e) {
                error(scalar.text(), "Invalid value: " + e.getMessage(), remedy);
                return Optional.empty();
            }
        });
    }

    Optional<Instant> instant() {
        return optionalText().flatMap(text -> {
            try {
                return Optional.of(OffsetDateTime.parse(text).toInstant());
            } catch (DateTimeException e) {
                error(text, "Invalid value: not a time of RFC 3339", "write a time such as 2026-01-31T12:00:00Z");
                return Optional.empty();
            }
        });
    }

    /** Returns the fields of a mapping. */
    Optional<FieldMap> fields() {
        return node.flatMap(value -> {
            if (value instanceof DocumentNode.DocumentMapping mapping) {
                return Optional.of(new FieldMap(mapping, this));
            }
            reportWrongType("fields", value, Remedies.forShape(path, displayText(value)));
            return Optional.empty();
        });
    }

    /** Returns the fields of a mapping; no fields if it is absent. */
    FieldMap fieldsOrEmpty() {
        return fields().orElseGet(() -> new FieldMap(
                new DocumentNode.DocumentMapping(new LinkedHashMap<>(), List.of(), line, column, 1), this));
    }

    List<ManifestField> items() {
        if (node.isEmpty()) {
            return List.of();
        }
        if (!(node.get() instanceof DocumentNode.DocumentSequence sequence)) {
            reportWrongType("a list", node.get(), "begin each member with '- '");
            return List.of();
        }
        List<ManifestField> items = new ArrayList<>(sequence.items().size());
        for (DocumentNode item : sequence.items()) {
            items.add(
                    new ManifestField(Optional.of(item), path.index(items.size()), item.line(), item.column(), report));
        }
        return items;
    }

    /** Returns the items of a list; none in strict mode if there are more than the maximum. */
    List<ManifestField> items(int itemsMax) {
        List<ManifestField> items = items();
        if (items.size() <= itemsMax) {
            return items;
        }
        errorIfStrict(
                Integer.toString(items.size()),
                "Too many: must have at most %d items".formatted(itemsMax),
                "leave some out, or spread them over several objects");
        return report.isLenient() ? items : List.of();
    }

    List<String> texts() {
        return items().stream().map(ManifestField::text).toList();
    }

    /** Returns the values of a map by key, in the written order. */
    SequencedMap<String, ManifestField> values() {
        SequencedMap<String, ManifestField> values = new LinkedHashMap<>();
        fields().ifPresent(fields -> {
            fields.reportDuplicates();
            fields.entries().forEach(entry -> values.put(entry.name(), valueOf(entry)));
        });
        return values;
    }

    private ManifestField valueOf(DocumentNode.DocumentField entry) {
        return new ManifestField(
                Optional.of(entry.value()), path.key(entry.name()), entry.line(), entry.column(), report);
    }

    /** Creates a child field without a value: an absent one, or one for findings about a child that other code reads. */
    ManifestField child(String name) {
        return new ManifestField(Optional.empty(), path.child(name), line, column, report);
    }

    /** Creates the field of an entry of this mapping. */
    ManifestField child(DocumentNode.DocumentField entry) {
        return new ManifestField(
                Optional.of(entry.value()), path.child(entry.name()), entry.line(), entry.column(), report);
    }

    private Optional<DocumentNode.DocumentScalar> scalar(String expectedType) {
        return node.flatMap(value -> {
            if (value instanceof DocumentNode.DocumentScalar scalar) {
                return Optional.of(scalar);
            }
            reportWrongType(expectedType, value, "write one value, without fields or list below it");
            return Optional.empty();
        });
    }

    private boolean hasType(DocumentNode.DocumentScalar scalar, ScalarType type, String remedy) {
        if (scalar.type() == type) {
            return true;
        }
        reportWrongType(type.displayName(), scalar, remedy);
        return false;
    }

    private void reportWrongType(String expectedType, DocumentNode found, String remedy) {
        if (hasTypeError) {
            return; // reported on the first access
        }
        hasTypeError = true;
        String sort = switch (found) {
            case DocumentNode.DocumentScalar scalar -> scalar.type().displayName();
            case DocumentNode.DocumentSequence _ -> "a list";
            case DocumentNode.DocumentMapping _ -> "fields";
        };
        error(displayText(found), "expected %s, found %s".formatted(expectedType, sort), remedy);
    }

    private static String displayText(DocumentNode node) {
        return node instanceof DocumentNode.DocumentScalar scalar ? scalar.text() : "";
    }

    /** Reports that the required field is missing. */
    void required(String detail) {
        String message = detail.isEmpty() ? "Required value" : "Required value: " + detail;
        errorIfStrict("", message, Remedies.forMissing(path, detail));
    }

    void invalid(String value, String detail, String remedy) {
        errorIfStrict(value, "Invalid value: " + detail, remedy);
    }

    void forbidden(String detail, String remedy) {
        errorIfStrict("", "Forbidden: " + detail, remedy);
    }

    void duplicate(String value) {
        errorIfStrict(value, "Duplicate value", "leave one of the two out, or give it another name");
    }

    void tooLong(int bytesMax) {
        errorIfStrict("", "Too long: may not be more than %d bytes".formatted(bytesMax), "write a shorter text");
    }

    /** Reports a value that is not one of the supported values. */
    void requireOneOf(String value, List<String> words) {
        if (!words.contains(value)) {
            String known = "\"" + String.join("\", \"", words) + "\"";
            errorIfStrict(value, "Unsupported value: supported values: " + known, supported(value, words));
        }
    }

    private static String supported(String value, List<String> words) {
        return words.stream()
                .filter(value::equalsIgnoreCase)
                .findFirst()
                .map(word -> "did you mean " + word + "?")
                .orElse("write one of the supported values");
    }

    void error(String value, String message, String remedy) {
        report.error(path, line, column, value, message, remedy);
    }

    /** Reports an error of decoding; a warning if the reading is not strict. */
    void undecodable(String value, String message, String remedy) {
        report.undecodable(path, line, column, value, message, remedy);
    }

    /** Reports an error of validation; a warning if the reading is not strict. */
    void errorIfStrict(String value, String message, String remedy) {
        report.invalid(path, line, column, value, message, remedy);
    }

    void warn(String value, String message, String remedy) {
        report.warn(path, line, column, value, message, remedy);
    }
}
