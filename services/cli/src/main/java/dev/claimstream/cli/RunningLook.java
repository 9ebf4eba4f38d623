package dev.claimstream.cli;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Optional;

/** Inspects a {@code claimstream up}: health, topics and schema registry. */
final class RunningLook {
    private final Endpoint endpoint;
    private final Path folder;
    private final String again;

    RunningLook(Endpoint endpoint, Path folder, String again) {
        this.endpoint = endpoint;
        this.folder = folder;
        this.again = again;
    }

    Running running() {
        String place = "process %d on %s".formatted(endpoint.pid(), folder);
        Parts parts;
        try {
            Remote remote = Remote.on(folder);
            parts = Parts.of(remote.parsed(remote.health()));
        } catch (RunFailure e) {
            return new Running(
                    place,
                    again,
                    Optional.of(String.valueOf(e.getMessage())),
                    new Parts(Collections.emptySortedMap()),
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
                Questions.topics(() -> TopicSetup.missing(
                        KafkaConnection.plain(endpoint.bootstrap()),
                        Topics.shipped().forCells(DataFolder.cellsOf(folder)),
                        Questions.ANSWER_WITHIN)),
                Questions.subjects(endpoint.registry()));
    }
}
