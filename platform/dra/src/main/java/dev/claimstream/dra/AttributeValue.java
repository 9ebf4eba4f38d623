package dev.claimstream.dra;

import java.util.List;

/** The value of a device attribute. A list has elements of one type. Values are equal if type and content are equal. */
public sealed interface AttributeValue {
    /** {@code int}. */
    record IntValue(long value) implements AttributeValue {}

    /** {@code bool}. */
    record BoolValue(boolean value) implements AttributeValue {}

    /** {@code string}, at most 64 bytes. */
    record StringValue(String value) implements AttributeValue {}

    /** {@code version}: constraints compare the text, selectors compare the semantic version. */
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

    /** A value of a newer API: no known field is set. Selectors and constraints that read it fail. */
    record UnknownValue() implements AttributeValue {}
}
