package dev.claimstream.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** The option for the folder of the tables and pictures of a measurement. */
public final class ResultFolderOption {
    @Option(
            names = "--out",
            paramLabel = "DIR",
            defaultValue = "load-tests/target/figures",
            description = "Write tables and pictures to this folder. Default: ${DEFAULT-VALUE}.")
    private Path out = Path.of("");

    /** Writes a table to a file of the folder, and creates the folder if it is missing. */
    public void write(String name, List<String> lines) throws IOException {
        Files.createDirectories(out);
        Files.write(out.resolve(name), lines);
    }

    /** Writes a picture to a file of the folder, and creates the folder if it is missing. */
    public void write(String name, String picture) throws IOException {
        Files.createDirectories(out);
        Files.writeString(out.resolve(name), picture);
    }
}
