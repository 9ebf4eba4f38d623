package dev.claimstream.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** All topics of {@code topics.yaml} in the contracts. */
public record Topics(SortedMap<String, Topic> byName) {
    public static final String INVENTORY = "inventory.v1";
    public static final String CLAIMS = "claims.v1";
    public static final String TELEMETRY = "telemetry.v1";
    public static final String OUTCOMES = "outcomes.v1";
    public static final String CELLS_IN = "cells.in";
    public static final String ROUTER_IN = "router.in";
    public static final String PLACEMENT = "placement.v1";
    public static final String DECISIONS = "decisions.v1";
    public static final String EXPLANATIONS = "explanations.v1";
    public static final String COMPARISONS = "comparisons.v1";
    public static final String LEDGER = "ledger.v1";
    public static final String BAD_RECORDS = "bad-records.v1";
    public static final String CLUSTER = "cluster.v1";
    public static final String SCHEMAS = "schemas.v1";

    public static final String CELL_CHANGELOG = "claimstream-allocator-cell-rows-changelog";

    public static final String ROUTER_CHANGELOG = "claimstream-allocator-router-rows-changelog";

    private static final Map<String, String> INPUT_OF_CHANGELOG =
            Map.of(CELL_CHANGELOG, CELLS_IN, ROUTER_CHANGELOG, ROUTER_IN);

    /** Topics with one partition for each cell. With several cells, the ledger has one more, for the router. */
    public static final Set<String> PER_CELL = Set.of(CELLS_IN, LEDGER);

    private static final String RESOURCE = "/dev/claimstream/schemas/topics.yaml";

    public Topics {
        byName = Collections.unmodifiableSortedMap(new TreeMap<>(byName));
    }

    /** The topics of the contracts with which this program was built, without changelogs. */
    public static Topics shipped() {
        return ShippedTopics.TOPICS;
    }

    /**
     * A copy with the changelogs, which have as many partitions as the inputs of their state.
     *
     * <p>Kafka Streams creates missing changelogs. A service that may not create topics needs them before its first start.
     */
    public Topics withChangelogs() {
        SortedMap<String, Topic> all = new TreeMap<>(byName);
        INPUT_OF_CHANGELOG.forEach((changelog, input) -> all.put(
                changelog,
                ShippedTopics.WITH_CHANGELOGS
                        .get(changelog)
                        .withPartitions(get(input).partitions())));
        return new Topics(all);
    }

    /**
     * The topics of a file in the form of {@code topics.yaml}.
     *
     * @throws IllegalArgumentException if a field is missing or unknown; the message names the topic and the field
     */
    public static Topics read(InputStream yaml) {
        return TopicsYaml.read(yaml);
    }

    /** The topic with this name; empty if the contracts do not have it. */
    public Optional<Topic> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /**
     * The topic with this name.
     *
     * @throws IllegalArgumentException if the contracts do not have it
     */
    public Topic get(String name) {
        return find(name)
                .orElseThrow(() -> new IllegalArgumentException(
                        "topic %s is not in topics.yaml, which has %s".formatted(name, byName.keySet())));
    }

    /** All topics, ordered by name. */
    public Collection<Topic> all() {
        return byName.values();
    }

    /** A copy with other numbers of partitions for some topics. */
    public Topics withPartitions(Map<String, Integer> partitions) {
        SortedMap<String, Topic> changed = new TreeMap<>(byName);
        partitions.forEach((name, count) -> changed.put(name, get(name).withPartitions(count)));
        return new Topics(changed);
    }

    /** The topics for a number of cells. Each cell has a log and a ledger; with several cells the router has a ledger too. */
    public Topics forCells(int cells) {
        return withPartitions(Map.of(CELLS_IN, cells, LEDGER, cells == 1 ? 1 : cells + 1));
    }

    private Topics without(Collection<String> names) {
        SortedMap<String, Topic> others = new TreeMap<>(byName);
        others.keySet().removeAll(names);
        return new Topics(others);
    }

    private static final class ShippedTopics {
        static final Topics WITH_CHANGELOGS = load();
        static final Topics TOPICS = WITH_CHANGELOGS.without(INPUT_OF_CHANGELOG.keySet());

        private static Topics load() {
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
