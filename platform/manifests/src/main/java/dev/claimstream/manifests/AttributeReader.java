package dev.claimstream.manifests;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.SemanticVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Reads {@code device.attributes}. */
final class AttributeReader {
    private static final int VALUE_BYTES_MAX = 64;
    private static final int SUM_MAX = 32;
    private static final int VALUES_MAX = 48;

    private AttributeReader() {}

    static SortedMap<String, AttributeValue> of(ManifestField field) {
        SortedMap<String, AttributeValue> attributes = new TreeMap<>();
        field.values().forEach((name, value) -> {
            NameValidation.checkQualified(value, name);
            attributes.put(name, attribute(value));
        });
        return attributes;
    }

    private static AttributeValue attribute(ManifestField field) {
        if (field.isPresent() && field.fields().isEmpty()) {
            return new AttributeValue.UnknownValue(); // the wrong type is already reported
        }
        FieldMap fields = field.fieldsOrEmpty();
        List<AttributeValue> found = new ArrayList<>(1);
        ManifestField number = fields.get("int");
        number.optionalInteger().ifPresent(n -> found.add(new AttributeValue.IntValue(n)));
        fields.get("bool").flag().ifPresent(flag -> found.add(new AttributeValue.BoolValue(flag)));
        ManifestField text = fields.get("string");
        text.optionalText().ifPresent(t -> found.add(new AttributeValue.StringValue(checkLength(text, t))));
        ManifestField version = fields.get("version");
        version.optionalText().ifPresent(v -> found.add(new AttributeValue.VersionValue(checkVersion(version, v))));
        lists(fields, found);
        fields.reportUnknown();
        boolean anyWritten = !fields.entries().isEmpty();
        if (found.size() > 1
                || (found.isEmpty() && (!anyWritten || field.report().isClean()))) {
            field.invalid("", "exactly one value must be specified", "write one of int, bool, string, version");
        }
        return found.isEmpty() ? new AttributeValue.UnknownValue() : found.getFirst();
    }

    private static void lists(FieldMap fields, List<AttributeValue> found) {
        list(fields.get("ints"), f -> f.integer(0), AttributeValue.IntList::new, found);
        list(fields.get("bools"), ManifestField::isTrue, AttributeValue.BoolList::new, found);
        list(fields.get("strings"), f -> checkLength(f, f.text()), AttributeValue.StringList::new, found);
        list(fields.get("versions"), f -> checkVersion(f, f.text()), AttributeValue.VersionList::new, found);
    }

    private static <T> void list(
            ManifestField field,
            Function<ManifestField, T> read,
            Function<List<T>, AttributeValue> wrap,
            List<AttributeValue> found) {
        if (!field.isPresent()) {
            return;
        }
        List<T> values = field.items().stream().map(read).toList();
        if (values.isEmpty()) {
            field.invalid("", "must not be empty if specified", "write a value, or leave the attribute out");
        }
        found.add(wrap.apply(values));
    }

    private static String checkLength(ManifestField field, String text) {
        if (text.length() > VALUE_BYTES_MAX || text.getBytes(StandardCharsets.UTF_8).length > VALUE_BYTES_MAX) {
            field.tooLong(VALUE_BYTES_MAX);
        }
        return text;
    }

    private static String checkVersion(ManifestField field, String text) {
        if (text.length() > VALUE_BYTES_MAX) {
            field.tooLong(VALUE_BYTES_MAX);
            return text;
        }
        try {
            SemanticVersion.parse(text);
        } catch (IllegalArgumentException e) {
            field.invalid(
                    text,
                    "must be a string compatible with semver.org spec 2.0.0",
                    "write major.minor.patch, for example 1.2.0");
        }
        return text;
    }

    /** Checks the limits on attributes, capacities and attribute values of one device. */
    static void checkSum(SortedMap<String, AttributeValue> attributes, int capacities, ManifestField device) {
        BiConsumer<Integer, String> reject =
                (count, detail) -> device.invalid(Integer.toString(count), detail, "leave some out");
        int sum = attributes.size() + capacities;
        if (sum > SUM_MAX) {
            reject.accept(sum, "the total number of attributes and capacities must not exceed " + SUM_MAX);
        }
        int values =
                attributes.values().stream().mapToInt(AttributeReader::values).sum();
        if (values > VALUES_MAX) {
            reject.accept(values, "the total number of attribute values must not exceed " + VALUES_MAX);
        }
    }

    private static int values(AttributeValue value) {
        return switch (value) {
            case AttributeValue.IntList list -> Math.max(1, list.values().size());
            case AttributeValue.BoolList list -> Math.max(1, list.values().size());
            case AttributeValue.StringList list -> Math.max(1, list.values().size());
            case AttributeValue.VersionList list -> Math.max(1, list.values().size());
            case AttributeValue.IntValue _,
                    AttributeValue.BoolValue _,
                    AttributeValue.StringValue _,
                    AttributeValue.VersionValue _,
                    AttributeValue.UnknownValue _ -> 1;
        };
    }

    /** Returns whether an attribute is a list; a slice with lists may have only half as many devices. */
    static boolean hasLists(SortedMap<String, AttributeValue> attributes) {
        return attributes.values().stream().anyMatch(value -> switch (value) {
            case AttributeValue.IntList _,
                    AttributeValue.BoolList _,
                    AttributeValue.StringList _,
                    AttributeValue.VersionList _ -> true;
            case AttributeValue.IntValue _,
                    AttributeValue.BoolValue _,
                    AttributeValue.StringValue _,
                    AttributeValue.VersionValue _,
                    AttributeValue.UnknownValue _ -> false;
        });
    }
}
