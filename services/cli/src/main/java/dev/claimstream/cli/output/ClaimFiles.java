package dev.claimstream.cli.output;

import dev.claimstream.console.ClaimDocuments;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.dra.ObjectKey;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes each claim to a file of its own: {@code <namespace>.<name>.yaml}. */
public final class ClaimFiles {
    private ClaimFiles() {}

    public static void write(Path folder, List<ClaimResult> answers) throws IOException {
        Files.createDirectories(folder);
        for (ClaimResult answer : answers) {
            ObjectKey key = answer.claim().key();
            try (Writer out = Files.newBufferedWriter(folder.resolve(key.namespace() + "." + key.name() + ".yaml"))) {
                ClaimDocuments.tree(answer).writeYaml(out);
            }
        }
    }
}
