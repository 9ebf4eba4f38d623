package dev.claimstream.manifests;

import dev.claimstream.dra.Quantity;
import dev.claimstream.manifests.tree.Node;
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
final class Field {
    private final Optional<Node> node;
    private final FieldPath path;
    private final int line;
    private final int column;
    private final Report report;
    private boolean mistyped;

    Field(Optional<Node> node, FieldPath path, int line, int column, Report report) {
        this.node = node.filter(n -> !(n instanceof Node.Scalar s && s.type() == ScalarType.NULL));
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

    Report report() {
        return report;
    }

    Optional<Node> node() {
        return node;
    }

    /** Records the location of the field for later checks, if the field is present. */
    Field kept() {
        if (isPresent()) {
            report.keep(path, line, column);
        }
        return this;
    }

    /** Returns the string; empty if the field is absent. */
    String text() {
        return optionalText().orElse("");
    }

    Optional<String> optionalText() {
        return scalar("a text", "put the value in double quotes")
                .filter(scalar -> is(scalar, ScalarType.TEXT, "put the value in double quotes"))
                .map(Node.Scalar::text);
    }

    Optional<Boolean> flag() {
        String remedy = "write true or false without quotes";
        return scalar("a boolean", remedy)
                .filter(scalar -> is(scalar, ScalarType.BOOL, remedy))
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
        return scalar("a whole number", remedy).flatMap(scalar -> {
            Optional<String> digits = scalar.type() == ScalarType.INTEGER || scalar.type() == ScalarType.FLOAT
                    ? ScalarType.number(scalar.text())
                    : Optional.empty();
            try {
                return Optional.of(new BigDecimal(digits.orElse("x")).longValueExact());
            } catch (NumberFormatException e) {
                wrongType("a whole number", scalar, remedy);
            } catch (ArithmeticException e) {
                error(scalar.text(), "Invalid value: not a whole number of 64 bits", "write a smaller whole number");
            }
            return Optional.empty();
        });
    }

    Optional<Quantity> quantity() {
        String remedy = "write a quantity such as 4, 500m or 40Gi";
        return scalar("a quantity", remedy).flatMap(scalar -> {
            if (scalar.type() == ScalarType.BOOL) {
                wrongType("a quantity", scalar, remedy);
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
    Optional<Fields> fields() {
        return node.flatMap(value -> {
            if (value instanceof Node.Mapping mapping) {
                return Optional.of(new Fields(mapping, this));
            }
            wrongType("fields", value, Remedies.forShape(path, shown(value)));
            return Optional.empty();
        });
    }

    /** Returns the fields of a mapping; no fields if it is absent. */
    Fields fieldsOrNone() {
        return fields().orElseGet(
                        () -> new Fields(new Node.Mapping(new LinkedHashMap<>(), List.of(), line, column, 1), this));
    }

    /** Returns the items of a list. */
    List<Field> items() {
        if (node.isEmpty()) {
            return List.of();
        }
        if (!(node.get() instanceof Node.Sequence sequence)) {
            wrongType("a list", node.get(), "begin each member with '- '");
            return List.of();
        }
        List<Field> items = new ArrayList<>(sequence.items().size());
        for (Node item : sequence.items()) {
            items.add(new Field(Optional.of(item), path.index(items.size()), item.line(), item.column(), report));
        }
        return items;
    }

    /** Returns the items of a list; none in strict mode if there are more than the maximum. */
    List<Field> items(int itemsMax) {
        List<Field> items = items();
        if (items.size() <= itemsMax) {
            return items;
        }
        refuse(
                Integer.toString(items.size()),
                "Too many: must have at most %d items".formatted(itemsMax),
                "leave some out, or spread them over several objects");
        return report.keepsUnknown() ? items : List.of();
    }

    /** Returns the strings of a list. */
    List<String> texts() {
        return items().stream().map(Field::text).toList();
    }

    /** Returns the values of a map by key, in the written order. */
    SequencedMap<String, Field> values() {
        SequencedMap<String, Field> values = new LinkedHashMap<>();
        fields().ifPresent(fields -> {
            fields.repeatedToo();
            fields.entries().forEach(entry -> values.put(entry.name(), valueOf(entry)));
        });
        return values;
    }

    private Field valueOf(Node.Entry entry) {
        return new Field(Optional.of(entry.value()), path.key(entry.name()), entry.line(), entry.column(), report);
    }

    /** Creates a child field without a value: an absent one, or one for findings about a child that other code reads. */
    Field child(String name) {
        return new Field(Optional.empty(), path.child(name), line, column, report);
    }

    /** Creates the field of an entry of this mapping. */
    Field child(Node.Entry entry) {
        return new Field(Optional.of(entry.value()), path.child(entry.name()), entry.line(), entry.column(), report);
    }

    private Optional<Node.Scalar> scalar(String wanted, String remedy) {
        return node.flatMap(value -> {
            if (value instanceof Node.Scalar scalar) {
                return Optional.of(scalar);
            }
            wrongType(wanted, value, remedy);
            return Optional.empty();
        });
    }

    private boolean is(Node.Scalar scalar, ScalarType type, String remedy) {
        if (scalar.type() == type) {
            return true;
        }
        wrongType(type.words(), scalar, remedy);
        return false;
    }

    private void wrongType(String wanted, Node found, String remedy) {
        if (mistyped) {
            return; // reported on the first access
        }
        mistyped = true;
        String sort = switch (found) {
            case Node.Scalar scalar -> scalar.type().words();
            case Node.Sequence _ -> "a list";
            case Node.Mapping _ -> "fields";
        };
        error(shown(found), "expected %s, found %s".formatted(wanted, sort), remedy);
    }

    private static String shown(Node node) {
        return node instanceof Node.Scalar scalar ? scalar.text() : "";
    }

    /** Reports that the required field is missing. */
    void required(String detail) {
        String message = detail.isEmpty() ? "Required value" : "Required value: " + detail;
        refuse("", message, Remedies.forMissing(path));
    }

    void invalid(String value, String detail, String remedy) {
        refuse(value, "Invalid value: " + detail, remedy);
    }

    void forbidden(String detail, String remedy) {
        refuse("", "Forbidden: " + detail, remedy);
    }

    void duplicate(String value) {
        refuse(value, "Duplicate value", "leave one of the two out, or give it another name");
    }

    void tooLong(int bytesMax) {
        refuse("", "Too long: may not be more than %d bytes".formatted(bytesMax), "write a shorter text");
    }

    /** Reports a value that is not one of the supported values. */
    void oneOf(String value, List<String> words) {
        if (!words.contains(value)) {
            String known = "\"" + String.join("\", \"", words) + "\"";
            refuse(value, "Unsupported value: supported values: " + known, "write one of the supported values");
        }
    }

    void error(String value, String message, String remedy) {
        report.error(path, line, column, value, message, remedy);
    }

    void refuse(String value, String message, String remedy) {
        report.refuse(path, line, column, value, message, remedy);
    }

    void warn(String value, String message, String remedy) {
        report.warn(path, line, column, value, message, remedy);
    }
}
