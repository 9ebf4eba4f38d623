package dev.claimstream.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The answers as files, one each. */
final class ClaimFiles {
    private ClaimFiles() {}

    static void write(Path folder, List<Answer> answers) throws IOException {}
}
