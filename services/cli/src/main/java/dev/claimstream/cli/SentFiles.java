package dev.claimstream.cli;

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

/** The files that a user names, to be sent as they are; whoever reads them finds what is wrong in them. */
final class SentFiles {
    private SentFiles() {}

    /** A text and how findings are to call it. */
    record Text(String name, byte[] bytes) {}

    /**
     * The files of paths, by name within a directory.
     *
     * @throws RunFailure where there is none, naming the path
     */
    static List<Text> of(List<String> paths, boolean recursive, InputStream standardInput) {
        List<Text> texts = new ArrayList<>();
        for (String path : paths) {
            try {
                add(path, recursive, standardInput, texts);
            } catch (InvalidPathException e) {
                throw new RunFailure("%s: not a path: %s".formatted(path, e.getReason()));
            } catch (IOException e) {
                throw new RunFailure("%s: the file cannot be read, %s".formatted(path, Folders.reason(e)));
            }
        }
        return texts;
    }

    private static void add(String name, boolean recursive, InputStream standardInput, List<Text> texts)
            throws IOException {
        if (name.equals(Manifests.STANDARD_INPUT)) {
            texts.add(new Text(name, standardInput.readAllBytes()));
            return;
        }
        Path path = Path.of(name);
        if (!Files.exists(path)) {
            throw new RunFailure(
                    "%s: the path does not exist: name a file or a directory that is there".formatted(name));
        }
        if (!Files.isDirectory(path)) {
            texts.add(new Text(name, Files.readAllBytes(path)));
            return;
        }
        List<Path> files =
                ManifestFiles.of(path, recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT);
        if (files.isEmpty()) {
            throw new RunFailure("%s: the directory has no .json, .yaml or .yml%s"
                    .formatted(name, recursive ? "" : "; directories below it are read with -R"));
        }
        for (Path file : files) {
            texts.add(new Text(file.toString(), Files.readAllBytes(file)));
        }
    }
}
