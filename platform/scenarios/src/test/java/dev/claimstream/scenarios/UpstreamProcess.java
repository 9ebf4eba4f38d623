package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.DocumentReader;
import dev.claimstream.manifests.tree.ObjectLimits;
import dev.claimstream.manifests.tree.SyntaxException;
import dev.claimstream.manifests.tree.TextPool;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A process of {@code platform/testbed/upstream}, which answers requests with upstream's code, one per line. */
final class UpstreamProcess implements AutoCloseable {
    private static final Path MODULE = Path.of("..", "testbed", "upstream");

    private static final int GO_MISSING = 3;
    private static final String MISSING = """
            NOT TRIED: the comparison with upstream's own code. The saved scenarios and selectors are still run.
            It needs Go of the version in platform/testbed/upstream/go.mod or newer: install it from https://go.dev/dl, or let \
            `.ci/run upstream` fetch one, and run the tests again.""";
    private static final int STATUS = build();
    private static final AtomicBoolean IS_MISSING_REPORTED = new AtomicBoolean();

    private final Process process;
    private final BufferedWriter requests;
    private final BufferedReader responses;
    private final TextPool texts = new TextPool();

    private UpstreamProcess(Process process) {
        this.process = process;
        this.requests = process.outputWriter(StandardCharsets.UTF_8);
        this.responses = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Requires the program that {@code platform/testbed/build} compiles with Go. Without Go the test is skipped with
     * one message, or fails if {@code CI} is set.
     */
    static void assumeReady() {
        boolean isReady = isReady();
        assertThat(isReady || System.getenv("CI") == null).as(MISSING).isTrue();
        assumeTrue(isReady, MISSING);
    }

    /** Returns whether the program exists. If not, prints once which tests are skipped, and how to run them. */
    private static boolean isReady() {
        assertThat(STATUS).as("platform/testbed/build ends with an error").isIn(0, GO_MISSING);
        if (STATUS == GO_MISSING && !IS_MISSING_REPORTED.getAndSet(true)) {
            System.err.println(MISSING);
        }
        return STATUS == 0;
    }

    private static int build() {
        try {
            Process build = new ProcessBuilder("../build", "upstream")
                    .directory(MODULE.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            assertThat(build.waitFor(5, TimeUnit.MINUTES))
                    .as("platform/testbed/build ends")
                    .isTrue();
            return build.exitValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Starts the newest release with a subcommand: {@code allocate}, {@code match} or {@code consumers}. */
    static UpstreamProcess start(String subcommand) {
        return start(KubernetesVersion.V1_37, subcommand);
    }

    /** Starts the release in {@code -Drelease}; by default the newest. */
    static UpstreamProcess startRequestedRelease(String subcommand) {
        String release = System.getProperty("release", KubernetesVersion.V1_37.toString());
        return start(
                KubernetesVersion.of(release)
                        .orElseThrow(() -> new IllegalArgumentException(
                                "-Drelease=%s: %s".formatted(release, KubernetesVersion.names()))),
                subcommand);
    }

    static UpstreamProcess start(KubernetesVersion release, String subcommand) {
        try {
            return new UpstreamProcess(
                    new ProcessBuilder(program(release).toAbsolutePath().toString(), subcommand)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path program(KubernetesVersion release) {
        String name = switch (release) {
            case V1_36 -> "upstream-1.36";
            case V1_37 -> "upstream";
        };
        return MODULE.resolve(Path.of("target", name));
    }

    /** Returns the response to each request, in order. */
    List<DocumentNode.DocumentMapping> query(List<String> lines) {
        Thread writing = Thread.ofVirtual().start(() -> write(lines));
        try {
            List<DocumentNode.DocumentMapping> read = new ArrayList<>(lines.size());
            for (int i = 0; i < lines.size(); i++) {
                String line = responses.readLine();
                if (line == null) {
                    throw new IllegalStateException("upstream ended before it answered: " + lines.get(i));
                }
                read.add(parse(line));
            }
            writing.join();
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void write(List<String> lines) {
        try {
            for (String line : lines) {
                requests.write(line);
                requests.write('\n');
            }
            requests.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private DocumentNode.DocumentMapping parse(String line) throws IOException {
        List<DocumentNode.DocumentMapping> found = new ArrayList<>();
        try {
            DocumentReader.read(
                    new StringReader(line), 1, ObjectLimits.DEFAULT, texts, new DocumentReader.ObjectReceiver() {
                        @Override
                        public boolean isList(DocumentNode.DocumentMapping begin) {
                            return false;
                        }

                        @Override
                        public void item(DocumentNode.DocumentMapping begin, int index, DocumentNode item) {
                            throw new IllegalStateException("no list was announced");
                        }

                        @Override
                        public void listEnd(DocumentNode.DocumentMapping list, int items) {
                            throw new IllegalStateException("no list was announced");
                        }

                        @Override
                        public void document(DocumentNode root) {
                            found.add((DocumentNode.DocumentMapping) root);
                        }
                    });
        } catch (SyntaxException e) {
            throw new IllegalStateException("upstream answered " + line, e);
        }
        return found.getFirst();
    }

    @Override
    public void close() {
        process.destroy();
    }
}
