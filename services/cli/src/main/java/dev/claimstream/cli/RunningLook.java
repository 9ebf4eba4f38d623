package dev.claimstream.cli;

import dev.claimstream.cli.Running.Asked;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.TopicsException;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Looks at a {@code claimstream up}: its health, its topics, its registry. */
final class RunningLook {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);

    private final Remote remote;
    private final Path folder;
    private final String again;

    RunningLook(Remote remote, Path folder, String again) {
        this.remote = remote;
        this.folder = folder;
        this.again = again;
    }

    Running running() {
        Endpoint endpoint = remote.endpoint();
        String place = "process %d on %s".formatted(endpoint.pid(), folder);
        SortedMap<String, Running.Part> parts;
        try {
            parts = parts(new Item(
                    TreeReader.json(remote.say("/health", "application/json").body())));
        } catch (RunFailure | IllegalArgumentException e) {
            return new Running(
                    place,
                    again,
                    Optional.of(String.valueOf(e.getMessage())),
                    Collections.emptySortedMap(),
                    Optional.empty(),
                    new Asked.Silent<>(""),
                    new Asked.Silent<>(""));
        }
        return new Running(
                place,
                again,
                Optional.empty(),
                parts,
                DataFolder.clusterOf(folder),
                topics(endpoint.bootstrap()),
                subjects(endpoint.registry()));
    }

    private static SortedMap<String, Running.Part> parts(Item report) {
        Item parts = report.item("parts");
        SortedMap<String, Running.Part> all = new TreeMap<>();
        parts.names()
                .forEach(name -> all.put(
                        name,
                        new Running.Part(
                                parts.item(name).text("status"),
                                parts.item(name).text("sentence"))));
        return all;
    }

    private Asked<List<String>> topics(String bootstrap) {
        try {
            return new Asked.Answered<>(TopicSetup.missing(
                    KafkaConnection.plain(bootstrap),
                    Topics.shipped().forCells(DataFolder.cellsOf(folder)),
                    ANSWER_WITHIN));
        } catch (TopicsException e) {
            return new Asked.Silent<>(String.valueOf(e.getMessage()));
        }
    }

    private static Asked<List<String>> subjects(URI registry) {
        try {
            var connection =
                    (HttpURLConnection) registry.resolve("/subjects").toURL().openConnection(java.net.Proxy.NO_PROXY);
            connection.setConnectTimeout((int) ANSWER_WITHIN.toMillis());
            connection.setReadTimeout((int) ANSWER_WITHIN.toMillis());
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                return new Asked.Silent<>("%s answers %d".formatted(registry, connection.getResponseCode()));
            }
            try (InputStream in = connection.getInputStream()) {
                Tree tree = TreeReader.json(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                return tree instanceof Tree.Sequence list
                        ? new Asked.Answered<>(list.items().stream()
                                .map(each -> each instanceof Tree.Text(String name) ? name : each.json())
                                .toList())
                        : new Asked.Silent<>(registry + " does not speak as a schema registry");
            }
        } catch (IOException | IllegalArgumentException e) {
            return new Asked.Silent<>("%s does not answer: %s".formatted(registry, e.getMessage()));
        }
    }
}
