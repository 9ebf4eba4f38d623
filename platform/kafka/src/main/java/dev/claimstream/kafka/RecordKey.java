package dev.claimstream.kafka;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The key of a record: the parts that name an object.
 *
 * <p>In the text form the parts are joined by "/"; inside a part, "%" is written %25 and "/" is written %2F.
 */
public record RecordKey(List<String> parts) {
    public RecordKey {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a key has at least one part");
        }
    }

    /** A key of these parts; parts may be empty. */
    public static RecordKey of(String... parts) {
        return new RecordKey(Arrays.asList(parts));
    }

    /** Parses the result of {@link #text}. Every text is a key. */
    public static RecordKey parse(String text) {
        return new RecordKey(Arrays.stream(text.split("/", -1))
                .map(part -> part.replace("%2F", "/").replace("%25", "%"))
                .toList());
    }

    /** The text form, as in the topic. */
    public String text() {
        return parts.stream()
                .map(part -> part.replace("%", "%25").replace("/", "%2F"))
                .collect(Collectors.joining("/"));
    }

    @Override
    public String toString() {
        return text();
    }
}
