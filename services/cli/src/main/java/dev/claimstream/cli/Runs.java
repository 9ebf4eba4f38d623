package dev.claimstream.cli;

import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Runs on a folder that is given, or on one that is gone afterwards. */
final class Runs {
    private Runs() {}

    static Run.Result in(
            Optional<Path> data, Function<CelSelectors, Inputs.Read> reading, RunSettings settings, PrintWriter err)
            throws IOException {
        try (var progress = new Progress(err)) {
            var run = new Run(settings, progress::say);
            if (data.isPresent()) {
                return run.in(data.get(), reading);
            }
            Path folder = Files.createTempDirectory("claimstream-");
            try {
                return run.in(folder, reading);
            } finally {
                delete(folder);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> content = Files.walk(folder)) {
            deepestFirst = content.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
