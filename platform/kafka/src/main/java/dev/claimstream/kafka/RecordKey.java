package dev.claimstream.kafka;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The key of a record: parts that name the object. As text they are joined by "/", which is written %2F inside a part. */
public record RecordKey(List<String> parts) {
    public RecordKey {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("a key has at least one part");
        }
    }

    /** The key of these parts, any of which can be empty. */
    public static RecordKey of(String... parts) {
        return new RecordKey(Arrays.asList(parts));
    }

    /** Reads what {@link #text} wrote; every text is some key. */
    public static RecordKey parse(String text) {
        return new RecordKey(Arrays.stream(text.split("/", -1))
                .map(part -> part.replace("%2F", "/").replace("%25", "%"))
                .toList());
    }

    /** The key as it stands in the topic. */
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
