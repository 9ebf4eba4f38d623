package dev.claimstream.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All topics, from {@code topics.yaml} of the contracts. */
public record Topics(SortedMap<String, Topic> byName) {
    public static final String INVENTORY = "inventory.v1";
    public static final String CLAIMS = "claims.v1";
    public static final String TELEMETRY = "telemetry.v1";
    public static final String OUTCOMES = "outcomes.v1";
    public static final String CELLS_IN = "cells.in";
    public static final String PLACEMENT = "placement.v1";
    public static final String DECISIONS = "decisions.v1";
    public static final String EXPLANATIONS = "explanations.v1";
    public static final String LEDGER = "ledger.v1";
    public static final String BAD_RECORDS = "bad-records.v1";
    public static final String CLUSTER = "cluster.v1";
    public static final String SCHEMAS = "schemas.v1";

    private static final String RESOURCE = "/dev/claimstream/schemas/topics.yaml";

    public Topics {
        byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
    }

    /** The topics of the contracts that this program was built with. */
    public static Topics shipped() {
        return Shipped.TOPICS;
    }

    /** The topic of this name, if it is one of ours. */
    public Optional<Topic> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * The topic of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public Topic get(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "topic %s is not in topics.yaml, which has %s".formatted(name, byName.keySet())));
    }

    /** All of them, by name. */
    public Collection<Topic> all() {
        return byName.values();
    }

    /** The same with other numbers of partitions for some. */
    public Topics withPartitions(Map<String, Integer> partitions) {
        SortedMap<String, Topic> changed = new TreeMap<>(byName);
        partitions.forEach((name, count) -> changed.put(name, get(name).withPartitions(count)));
        return new Topics(changed);
    }

    private static final class Shipped {
        static final Topics TOPICS = read();

        private static Topics read() {
            try (InputStream yaml = Topics.class.getResourceAsStream(RESOURCE)) {
                if (yaml == null) {
                    throw new IllegalStateException("%s is not on the class path".formatted(RESOURCE));
                }
                return TopicsYaml.read(yaml);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
