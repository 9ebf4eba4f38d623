package dev.claimstream.manifests;

import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.DocumentReader;
import dev.claimstream.manifests.tree.DocumentSplitter;
import dev.claimstream.manifests.tree.SyntaxException;
import dev.claimstream.manifests.tree.TextPool;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Reads manifests in YAML and JSON.
 *
 * <p>A mistake in a manifest is a finding, never an exception, and the valid objects are kept. The options limit memory and time per file
 * and object. Not thread-safe: each call of a static method uses its own instance.
 */
public final class Manifests {
    /** The path that means standard input. */
    public static final String STANDARD_INPUT = "-";

    private final ReadOptions options;
    private final ForeignDocumentPolicy foreignDocuments;
    private final FindingCollector findings;
    private final ManifestCollector collector;
    private final TextPool texts = new TextPool();

    private Manifests(ReadOptions options, ForeignDocumentPolicy foreignDocuments) {
        this.options = options;
        this.foreignDocuments = foreignDocuments;
        this.findings = new FindingCollector(options.findingsMax());
        this.collector = new ManifestCollector(findings);
    }

    /**
     * Reads files, directories and standard input as one set.
     *
     * @param paths files, directories ({@code *.yaml}, {@code *.yml} and {@code *.json} files, sorted by name) and {@code -}
     * @param standardInput the stream read for {@code -}; it is not closed
     */
    public static ManifestReadResult read(List<String> paths, ReadOptions options, InputStream standardInput) {
        Manifests reading = new Manifests(options, ForeignDocumentPolicy.NONE);
        for (String path : paths) {
            if (path.equals(STANDARD_INPUT)) {
                reading.stream(STANDARD_INPUT, standardInput);
            } else {
                reading.path(path);
            }
        }
        return reading.result();
    }

    /**
     * Reads one stream.
     *
     * @param name the file name that findings show
     */
    public static ManifestReadResult read(String name, InputStream in, ReadOptions options) {
        return read(name, in, options, ForeignDocumentPolicy.NONE);
    }

    /**
     * Reads one stream that also contains documents that are not Kubernetes objects.
     *
     * @param name the file name that findings show
     */
    public static ManifestReadResult read(
            String name, InputStream in, ReadOptions options, ForeignDocumentPolicy foreignDocuments) {
        Manifests reading = new Manifests(options, foreignDocuments);
        reading.stream(name, in);
        return reading.result();
    }

    /**
     * Reads one document that is parsed already.
     *
     * @param name the file name that findings show
     */
    public static ManifestReadResult read(String name, DocumentNode document, ReadOptions options) {
        Manifests reading = new Manifests(options, ForeignDocumentPolicy.NONE);
        new ObjectReader(name, options, ForeignDocumentPolicy.NONE, reading.findings, reading.collector)
                .document(document);
        return reading.result();
    }

    /** Reads one text with the default options. */
    public static ManifestReadResult read(String name, String text) {
        return read(name, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ReadOptions.DEFAULT);
    }

    /**
     * Reads several texts as one set.
     *
     * @param texts the texts by the file names that findings show
     */
    public static ManifestReadResult read(SequencedMap<String, String> texts, ReadOptions options) {
        Manifests reading = new Manifests(options, ForeignDocumentPolicy.NONE);
        texts.forEach(
                (name, text) -> reading.stream(name, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))));
        return reading.result();
    }

    private ManifestReadResult result() {
        collector.reportForeign();
        collector.addPods();
        return new ManifestReadResult(
                collector.manifests(),
                findings.all(),
                collector.rejectedCount(),
                collector.workloads().all().size());
    }

    private void path(String name) {
        try {
            Path path = Path.of(name);
            if (Files.isDirectory(path)) {
                directory(name, path);
            } else if (Files.exists(path)) {
                file(name, path);
            } else {
                error(name, "the path does not exist", "name an existing file or directory");
            }
        } catch (InvalidPathException e) {
            error(name, "not a path: " + e.getReason(), "name an existing file or directory");
        }
    }

    private void directory(String name, Path directory) {
        try {
            List<Path> files = ManifestFiles.of(directory, options.directories());
            if (files.isEmpty()) {
                error(
                        name,
                        "the directory has no manifests",
                        "recognized file extensions are .json, .yaml and .yml"
                                + (options.directories() == ReadOptions.Directories.FLAT
                                        ? "; directories below it are read with -R"
                                        : ""));
            }
            files.forEach(file -> file(file.toString(), file));
        } catch (IOException e) {
            error(name, "the directory cannot be read: " + reason(e), "check its permissions");
        }
    }

    private void file(String name, Path file) {
        try {
            if (Files.isRegularFile(file) && Files.size(file) > options.fileBytesMax()) {
                tooLarge(name);
                return;
            }
            try (InputStream in = Files.newInputStream(file)) {
                stream(name, in);
            }
        } catch (IOException e) {
            error(name, "the file cannot be read: " + reason(e), "check the path and its permissions");
        }
    }

    private void stream(String name, InputStream in) {
        long before = collector.objectCount();
        boolean hasForeign = false;
        try {
            var decoder = StandardCharsets.UTF_8.newDecoder();
            hasForeign = text(name, new InputStreamReader(new CappedInputStream(in, options.fileBytesMax()), decoder));
        } catch (CharacterCodingException e) {
            error(name, "not a text in UTF-8", "give YAML or JSON in UTF-8");
        } catch (CappedInputStream.TooManyBytesException e) {
            tooLarge(name);
        } catch (IOException e) {
            error(name, "the file cannot be read: " + reason(e), "check the path and its permissions");
        }
        if (!hasForeign && collector.objectCount() == before && findings.isEmptyFor(name)) {
            findings.add(ManifestFinding.warning(
                    SourceLocation.of(name), "no object in this file", "leave it out, or write one"));
        }
    }

    /** Reads a text, and returns whether it contains nothing but documents of other programs. */
    private boolean text(String name, Reader text) throws IOException {
        int mark = findings.mark();
        WatchedReader watched = new WatchedReader(text);
        DocumentSplitter parts = new DocumentSplitter(watched);
        ObjectReader objects = new ObjectReader(name, options, foreignDocuments, findings, collector);
        while (parts.next()) {
            try {
                DocumentReader.read(parts.text(), parts.line(), options.limits(), texts, objects);
            } catch (SyntaxException e) {
                objects.endForeign();
                findings.add(
                        ManifestFinding.error(new SourceLocation(name, e.line(), e.column()), e.problem(), e.remedy()));
                collector.rejected();
            }
        }
        UnfinishedText lines = watched.lines();
        Optional<ManifestFinding> unfinished =
                lines.finding(name).or(() -> lines.variables(name, findings.since(mark)));
        if (unfinished.isPresent()) {
            findings.replaceSince(mark, unfinished.get());
            collector.rejected();
            return false;
        }
        if (objects.foreignFindings().isEmpty()) {
            return false;
        }
        collector.foreign(name, objects.foreignFindings());
        return true;
    }

    private void tooLarge(String name) {
        error(
                name,
                "the file has more than %d bytes".formatted(options.fileBytesMax()),
                "split it, or raise the limit");
    }

    private void error(String name, String message, String remedy) {
        findings.add(ManifestFinding.error(SourceLocation.of(name), message, remedy));
    }

    private static String reason(IOException e) {
        return e instanceof AccessDeniedException
                ? "permission denied"
                : e.getClass().getSimpleName();
    }
}
