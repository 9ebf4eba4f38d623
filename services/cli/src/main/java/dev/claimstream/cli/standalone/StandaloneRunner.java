package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.FolderRemoval;
import dev.claimstream.cli.input.AssumedNodes;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.ProgressLine;
import dev.claimstream.console.ExpressionValidator;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs {@link StandaloneRun} on a given folder, or on a temporary folder that is deleted afterwards. */
public final class StandaloneRunner {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneRunner.class);
    private static final int DELETE_TRIES = 5;

    private StandaloneRunner() {}

    /** Runs on manifests. If they have no Node, the nodes of the slices are assumed. */
    public static StandaloneRun.RunResult run(
            Optional<Path> data,
            Function<ExpressionValidator, ManifestInputs.CompletedManifests> manifests,
            RunSettings settings,
            PrintWriter err)
            throws IOException {
        Function<ExpressionValidator, ManifestInputs.CompletedManifests> reading =
                manifests.andThen(read -> AssumedNodes.addTo(read, err));
        try (var progress = new ProgressLine(err)) {
            var run = new StandaloneRun(settings, progress::update);
            if (data.isPresent()) {
                return run.execute(data.get(), reading);
            }
            Path folder = Files.createTempDirectory("claimstream-");
            // also if a signal ends the process
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete temporary folder"));
            try {
                return run.execute(folder, reading);
            } finally {
                delete(folder);
            }
        }
    }

    /** Deletes as much as possible. A file that cannot be deleted does not fail the run. */
    private static void delete(Path folder) {
        for (int attempt = 0; attempt < DELETE_TRIES && Files.exists(folder); attempt++) {
            try {
                FolderRemoval.remove(folder);
            } catch (IOException e) {
                LOG.atDebug().setCause(e).log("a temporary folder is still written to");
            }
        }
    }
}
