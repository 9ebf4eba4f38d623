package dev.claimstream.cli;

import dev.claimstream.console.Expressions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs {@link Run} on a given folder, or on a temporary folder that is deleted afterwards. */
final class Runs {
    private static final Logger LOG = LoggerFactory.getLogger(Runs.class);
    private static final int DELETE_TRIES = 5;

    private Runs() {}

    static Run.Result in(
            Optional<Path> data, Function<Expressions, Inputs.Read> reading, RunSettings settings, PrintWriter err)
            throws IOException {
        try (var progress = new Progress(err)) {
            var run = new Run(settings, progress::say);
            if (data.isPresent()) {
                return run.in(data.get(), reading);
            }
            Path folder = Files.createTempDirectory("claimstream-");
            // also if a signal ends the process
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete temporary folder"));
            try {
                return run.in(folder, reading);
            } finally {
                delete(folder);
            }
        }
    }

    /** Deletes as much as possible. A file that cannot be deleted does not fail the run. */
    private static void delete(Path folder) {
        for (int attempt = 0; attempt < DELETE_TRIES && Files.exists(folder); attempt++) {
            try (Stream<Path> content = Files.walk(folder)) {
                List<Path> deepestFirst =
                        content.sorted(Comparator.reverseOrder()).toList();
                for (Path path : deepestFirst) {
                    Files.deleteIfExists(path);
                }
            } catch (IOException | UncheckedIOException e) {
                LOG.atDebug().setCause(e).log("a temporary folder is still written to");
            }
        }
    }
}
