package dev.claimstream.cli.doctor;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;

/** Inspects a {@code claimstream up}: health, topics and schema registry. */
public final class StandaloneInspector {
    private final Endpoint endpoint;
    private final Path folder;
    private final String folderOption;

    public StandaloneInspector(Endpoint endpoint, Path folder, String again) {
        this.endpoint = endpoint;
        this.folder = folder;
        this.folderOption = again;
    }

    public StandaloneReport inspect() {
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
                ServiceQueries.kafka(() -> TopicSetup.missing(
                        KafkaConnection.plain(endpoint.bootstrap()),
                        Topics.shipped().forCells(DataFolder.cellsOf(folder)),
                        ServiceQueries.RESPONSE_TIMEOUT)),
                ServiceQueries.subjects(endpoint.registry()));
    }
}
