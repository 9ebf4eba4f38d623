package dev.claimstream.dra;

import java.util.List;

/** The value of a device attribute; lists are of one type. Two values are equal when type and content are. */
public sealed interface AttributeValue {
    /** {@code int}. */
    record IntValue(long value) implements AttributeValue {}

    /** {@code bool}. */
    record BoolValue(boolean value) implements AttributeValue {}

    /** {@code string}, at most 64 bytes. */
    record StringValue(String value) implements AttributeValue {}

    /** {@code version}: compared as text by constraints, by meaning in selectors. */
    record VersionValue(String value) implements AttributeValue {}

    /** {@code ints}. */
    record IntList(List<Long> values) implements AttributeValue {
        public IntList {
            values = List.copyOf(values);
        }
    }

    /** {@code bools}. */
    record BoolList(List<Boolean> values) implements AttributeValue {
        public BoolList {
            values = List.copyOf(values);
        }
    }

    /** {@code strings}. */
    record StringList(List<String> values) implements AttributeValue {
        public StringList {
            values = List.copyOf(values);
        }
    }

    /** {@code versions}. */
    record VersionList(List<String> values) implements AttributeValue {
        public VersionList {
            values = List.copyOf(values);
        }
    }

    /** None of the known fields is set: an object of a newer API. Selectors and constraints that meet it fail. */
    record Unknown() implements AttributeValue {}
}
