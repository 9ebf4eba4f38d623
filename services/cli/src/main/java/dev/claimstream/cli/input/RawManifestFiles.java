package dev.claimstream.cli.input;

import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.manifests.ManifestFiles;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads the manifest files of a command without parsing them. The console validates them. */
public final class RawManifestFiles {
    private RawManifestFiles() {}

    /** The bytes of a file, and its name in findings. */
    public record RawManifest(String name, byte[] bytes) {}

    /**
     * Returns the files of the paths; the files of a directory are sorted by name.
     *
     * @throws RunFailure if a path does not exist, cannot be read, or has no manifests; the message names the path
     */
    public static List<RawManifest> of(List<String> paths, boolean recursive, InputStream standardInput) {
        List<RawManifest> texts = new ArrayList<>();
        for (String path : paths) {
            try {
                add(path, recursive, standardInput, texts);
            } catch (InvalidPathException e) {
                throw new RunFailure("%s: not a path: %s".formatted(path, e.getReason()));
            } catch (IOException e) {
                throw new RunFailure("%s: the file cannot be read, %s".formatted(path, FolderChecks.reason(e)));
            }
        }
        return texts;
    }

    private static void add(String name, boolean recursive, InputStream standardInput, List<RawManifest> texts)
            throws IOException {
        if (name.equals(Manifests.STANDARD_INPUT)) {
            texts.add(new RawManifest(name, standardInput.readAllBytes()));
            return;
        }
        Path path = Path.of(name);
        if (!Files.exists(path)) {
            throw new RunFailure("%s: the path does not exist: name an existing file or directory".formatted(name));
        }
        if (!Files.isDirectory(path)) {
            texts.add(new RawManifest(name, Files.readAllBytes(path)));
            return;
        }
        List<Path> files =
                ManifestFiles.of(path, recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT);
        if (files.isEmpty()) {
            throw new RunFailure("%s: the directory has no .json, .yaml or .yml%s"
                    .formatted(name, recursive ? "" : "; directories below it are read with -R"));
        }
        for (Path file : files) {
            texts.add(new RawManifest(file.toString(), Files.readAllBytes(file)));
        }
    }
}
