package dev.claimstream.simulation;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The attributes and capacities that the text of a selector names. It is for messages only: no decision depends on it.
 *
 * @param expression the CEL expression
 * @param reads the named attributes and capacities, each once, in their order
 */
record SelectorReads(String expression, List<DeviceField> reads) {
    private static final String FIELD = "device\\.(attributes|capacity)\\[\\s*[\"']([^\"']+)[\"']\\s*\\]\\.(\\w+)";
    private static final Pattern NAMED = Pattern.compile(FIELD);
    private static final Pattern QUANTITY =
            Pattern.compile(FIELD + "\\.compareTo\\(quantity\\([\"']([^\"']+)[\"']\\)\\)\\s*(>=|>|==)\\s*0");
    private static final Pattern LITERAL = Pattern.compile(FIELD + "\\s*(==|>=|>|<=|<)\\s*(\"[^\"]*\"|'[^']*'|-?\\d+)");

    /** An attribute or a capacity of a domain. */
    record DeviceField(boolean isCapacity, String domain, String name) {
        private static DeviceField of(Matcher match) {
            return new DeviceField(match.group(1).equals("capacity"), match.group(2), match.group(3));
        }

        /** The value on a device as a text; empty if the device does not have it. */
        Optional<String> value(String driver, Device device) {
            return isCapacity
                    ? capacity(driver, device).map(value -> value.value().toString())
                    : attribute(driver, device).map(DeviceField::text);
        }

        Optional<DeviceCapacity> capacity(String driver, Device device) {
            return Optional.ofNullable(device.capacity().get(domain + "/" + name))
                    .or(() -> domain.equals(driver)
                            ? Optional.ofNullable(device.capacity().get(name))
                            : Optional.empty());
        }

        Optional<AttributeValue> attribute(String driver, Device device) {
            return Optional.ofNullable(device.attributes().get(domain + "/" + name))
                    .or(() -> domain.equals(driver)
                            ? Optional.ofNullable(device.attributes().get(name))
                            : Optional.empty());
        }

        static String text(AttributeValue value) {
            return switch (value) {
                case AttributeValue.IntValue(long number) -> Long.toString(number);
                case AttributeValue.BoolValue(boolean flag) -> Boolean.toString(flag);
                case AttributeValue.StringValue(String text) -> text;
                case AttributeValue.VersionValue(String text) -> text;
                case AttributeValue.IntList(var values) -> values.toString();
                case AttributeValue.BoolList(var values) -> values.toString();
                case AttributeValue.StringList(var values) -> values.toString();
                case AttributeValue.VersionList(var values) -> values.toString();
                case AttributeValue.UnknownValue() -> "a value of a newer API";
            };
        }

        @Override
        public String toString() {
            return (isCapacity ? "capacity " : "attribute ") + name;
        }
    }

    /**
     * A comparison of a field with a literal.
     *
     * @param operator {@code ==}, {@code >=}, {@code >}, {@code <=} or {@code <}
     * @param literal the text of the value, without quotes
     * @param from begin of the value in the expression, after a quote
     * @param to its end
     */
    record FieldComparison(DeviceField field, String operator, String literal, int from, int to) {
        /** The expression with another value. */
        String with(String expression, String other) {
            return expression.substring(0, from) + other + expression.substring(to);
        }
    }

    static SelectorReads of(String expression) {
        SequencedSet<DeviceField> reads = new LinkedHashSet<>();
        Matcher match = NAMED.matcher(expression);
        while (match.find()) {
            reads.add(DeviceField.of(match));
        }
        return new SelectorReads(expression, List.copyOf(reads));
    }

    /** The values of a device, such as {@code memory 16Gi, no attribute model}; empty if the expression reads none. */
    String valuesOf(String driver, Device device) {
        return reads.stream()
                .map(field -> field.value(driver, device)
                        .map(value -> field.name() + " " + value)
                        .orElse("no " + field))
                .collect(Collectors.joining(", "));
    }

    /** The comparisons of the expression whose value can be replaced. */
    List<FieldComparison> comparisons() {
        List<FieldComparison> found = new ArrayList<>();
        Matcher quantity = QUANTITY.matcher(expression);
        while (quantity.find()) {
            found.add(new FieldComparison(
                    DeviceField.of(quantity),
                    quantity.group(5),
                    quantity.group(4),
                    quantity.start(4),
                    quantity.end(4)));
        }
        Matcher plain = LITERAL.matcher(expression);
        while (plain.find()) {
            int quote = plain.group(5).startsWith("\"") || plain.group(5).startsWith("'") ? 1 : 0;
            int from = plain.start(5) + quote;
            int to = plain.end(5) - quote;
            found.add(new FieldComparison(
                    DeviceField.of(plain), plain.group(4), expression.substring(from, to), from, to));
        }
        return found;
    }
}
