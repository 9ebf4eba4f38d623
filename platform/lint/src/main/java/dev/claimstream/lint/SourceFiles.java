package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFiles;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions.Directories;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The texts of files, directories and standard input.
 *
 * @param sources in the order of the paths, each file once
 * @param unreadable findings about files that could not be read
 */
public record SourceFiles(List<SourceText> sources, List<LintFinding> unreadable) {
    /** Maximum size of a file: its text and its tree are in memory at the same time. */
    private static final long FILE_BYTES_MAX = 32L << 20;

    public SourceFiles {
        sources = List.copyOf(sources);
        unreadable = List.copyOf(unreadable);
    }

    /**
     * Reads files, directories ({@code *.yaml}, {@code *.yml} and {@code *.json} files) and {@code -}.
     *
     * @param standardInput the stream read for {@code -}; it is not closed
     */
    public static SourceFiles read(List<String> paths, Directories directories, InputStream standardInput) {
        List<SourceText> sources = new ArrayList<>();
        List<LintFinding> unreadable = new ArrayList<>();
        Set<String> files = new LinkedHashSet<>();
        paths.forEach(path -> files.addAll(files(path, directories, unreadable)));
        for (String file : files) {
            try {
                byte[] bytes = file.equals(Manifests.STANDARD_INPUT)
                        ? standardInput.readNBytes((int) FILE_BYTES_MAX + 1)
                        : bytes(Path.of(file));
                if (bytes.length > FILE_BYTES_MAX) {
                    unreadable.add(tooLarge(file));
                } else {
                    sources.add(SourceText.of(file, text(bytes)));
                }
            } catch (CharacterCodingException e) {
                unreadable.add(unreadable(file, "not a text in UTF-8", "give YAML or JSON in UTF-8"));
            } catch (IOException e) {
                unreadable.add(unreadable(
                        file, "the file cannot be read: " + reason(e), "check the path and its permissions"));
            }
        }
        return new SourceFiles(sources, unreadable);
    }

    private static byte[] bytes(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return in.readNBytes((int) FILE_BYTES_MAX + 1);
        }
    }

    private static String text(byte[] bytes) throws CharacterCodingException {
        return StandardCharsets.UTF_8
                .newDecoder()
                .decode(ByteBuffer.wrap(bytes))
                .toString();
    }

    private static List<String> files(String path, Directories directories, List<LintFinding> unreadable) {
        try {
            if (path.equals(Manifests.STANDARD_INPUT) || !Files.isDirectory(Path.of(path))) {
                return List.of(path);
            }
            List<String> files = ManifestFiles.of(Path.of(path), directories).stream()
                    .map(Path::toString)
                    .toList();
            if (files.isEmpty()) {
                unreadable.add(unreadable(
                        path,
                        "the directory has no manifests",
                        "recognized file extensions are .json, .yaml and .yml"
                                + (directories == Directories.FLAT ? "; directories below it are read with -R" : "")));
            }
            return files;
        } catch (IOException e) {
            unreadable.add(unreadable(path, "the directory cannot be read: " + reason(e), "check its permissions"));
        } catch (InvalidPathException e) {
            unreadable.add(unreadable(path, "not a path: " + e.getReason(), "name an existing file"));
        }
        return List.of();
    }

    private static String reason(IOException e) {
        return e instanceof NoSuchFileException
                ? "it does not exist"
                : e.getClass().getSimpleName();
    }

    private static LintFinding tooLarge(String file) {
        return unreadable(file, "the file has more than %d bytes".formatted(FILE_BYTES_MAX), "split it");
    }

    private static LintFinding unreadable(String file, String message, String remedy) {
        return new LintFinding(LintRule.UNREADABLE, ManifestFinding.error(SourceLocation.of(file), message, remedy));
    }
}
