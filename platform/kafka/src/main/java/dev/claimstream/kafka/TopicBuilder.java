package dev.claimstream.kafka;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a topic by name. Not thread-safe. */
public final class TopicBuilder {
    private String name;
    private String description = "";
    private List<String> keyParts = List.of();
    private String keyNote = "";
    private List<String> partitionBy = List.of();
    private int partitions = 1;
    private SortedMap<String, String> config = new TreeMap<>();
    private List<String> writers = List.of();
    private List<String> readers = List.of();
    private Optional<String> value = Optional.empty();

    TopicBuilder(String name) {
        this.name = name;
    }

    public TopicBuilder name(String value) {
        name = value;
        return this;
    }

    public TopicBuilder description(String value) {
        description = value;
        return this;
    }

    public TopicBuilder keyParts(List<String> value) {
        keyParts = value;
        return this;
    }

    public TopicBuilder keyNote(String value) {
        keyNote = value;
        return this;
    }

    public TopicBuilder partitionBy(List<String> value) {
        partitionBy = value;
        return this;
    }

    public TopicBuilder partitions(int value) {
        partitions = value;
        return this;
    }

    public TopicBuilder config(SortedMap<String, String> value) {
        config = value;
        return this;
    }

    public TopicBuilder writers(List<String> value) {
        writers = value;
        return this;
    }

    public TopicBuilder readers(List<String> value) {
        readers = value;
        return this;
    }

    public TopicBuilder value(Optional<String> other) {
        value = other;
        return this;
    }

    /** Creates the topic. Throws IllegalArgumentException for an invalid number of partitions or part of a key. */
    public Topic build() {
        return new Topic(
                name, description, keyParts, keyNote, partitionBy, partitions, config, writers, readers, value);
    }
}
