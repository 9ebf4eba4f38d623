package dev.claimstream.cli.standalone;

import dev.claimstream.cli.folder.FolderRemoval;
import dev.claimstream.cli.input.AssumedNodes;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.ProgressLine;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.observability.Logs;
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

    /** Whether the process ends after the command. */
    public enum ProcessEnd {
        /** It ends: what was started in a temporary folder needs no ordered end, and the folder is deleted at the end. */
        AFTER_COMMAND,
        /** It goes on, for example with other tests. */
        LATER
    }

    /** Runs on manifests. If they have no Node, the nodes of the slices are assumed. */
    public static StandaloneRun.RunResult run(
            Optional<Path> data,
            Function<ExpressionValidator, ManifestInputs.CompletedManifests> manifests,
            RunSettings settings,
            PrintWriter err,
            ProcessEnd processEnd)
            throws IOException {
        Function<ExpressionValidator, ManifestInputs.CompletedManifests> reading =
                manifests.andThen(read -> AssumedNodes.addTo(read, err));
        try (var progress = new ProgressLine(err)) {
            var run = new StandaloneRun(settings, progress::update);
            if (data.isPresent()) {
                return run.execute(data.get(), reading, StandaloneRun.ServicesAfterRun.CLOSED);
            }
            Path folder = Files.createTempDirectory("claimstream-");
            // also if a signal ends the process
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(folder), "delete temporary folder"));
            if (processEnd == ProcessEnd.AFTER_COMMAND) {
                return run.execute(folder, reading, StandaloneRun.ServicesAfterRun.RUNNING);
            }
            try {
                return run.execute(folder, reading, StandaloneRun.ServicesAfterRun.CLOSED);
            } finally {
                delete(folder);
            }
        }
    }

    private static void end(Path folder) {
        Logs.stop(); // a broker that still runs would report that its files are missing
        delete(folder);
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
