package dev.claimstream.cli;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;

/** Inspects a {@code claimstream up}: health, topics and schema registry. */
final class StandaloneInspector {
    private final Endpoint endpoint;
    private final Path folder;
    private final String folderOption;

    StandaloneInspector(Endpoint endpoint, Path folder, String again) {
        this.endpoint = endpoint;
        this.folder = folder;
        this.folderOption = again;
    }

    StandaloneReport inspect() {
        String place = "process %d on %s".formatted(endpoint.pid(), folder);
        ComponentStatuses parts;
        try {
            ConsoleClient client = ConsoleClient.ofFolder(folder);
            parts = ComponentStatuses.of(client.parse(client.health()));
        } catch (RunFailure e) {
            return new StandaloneReport(
                    place,
                    folderOption,
                    Optional.of(String.valueOf(e.getMessage())),
                    new ComponentStatuses(Collections.emptySortedMap()),
                    Optional.empty(),
                    new QueryResult.Failure<>(""),
                    new QueryResult.Failure<>(""));
        }
        return new StandaloneReport(
                place,
                folderOption,
                Optional.empty(),
                parts,
                DataFolder.clusterOf(folder),
                ServiceQueries.topics(() -> TopicSetup.missing(
                        KafkaConnection.plain(endpoint.bootstrap()),
                        Topics.shipped().forCells(DataFolder.cellsOf(folder)),
                        ServiceQueries.RESPONSE_TIMEOUT)),
                ServiceQueries.subjects(endpoint.registry()));
    }
}
