package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.manifests.tree.DocumentReader;
import dev.claimstream.manifests.tree.Node;
import dev.claimstream.manifests.tree.NodeLimits;
import dev.claimstream.manifests.tree.SyntaxException;
import dev.claimstream.manifests.tree.TextPool;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of {@code platform/testbed/upstream}, which answers questions with upstream's code, one a line. */
final class Upstream implements AutoCloseable {
    private static final Path MODULE = Path.of("..", "testbed", "upstream");
    private static final Path PROGRAM = MODULE.resolve(Path.of("target", "upstream"));

    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;
    private final TextPool texts = new TextPool();

    private Upstream(Process process) {
        this.process = process;
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
    }

    /**
     * Builds the program where the compiler of Go is there, and where it is not, says so and ends the test without a result; the gate
     * counts that as failed.
     */
    static void assumeReady() {
        String message =
                "NOT TRIED: the comparison with upstream needs Go 1.26 or newer. Install it from https://go.dev/dl,"
                        + " then: platform/testbed/build";
        boolean isReady = build();
        if (!isReady && System.getenv("CI") == null) {
            System.err.println(message);
        }
        assertThat(isReady || System.getenv("CI") == null).as(message).isTrue();
        assumeTrue(isReady, message);
    }

    private static boolean build() {
        try {
            Process build = new ProcessBuilder("../build")
                    .directory(MODULE.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return build.waitFor(5, TimeUnit.MINUTES) && build.exitValue() == 0 && Files.isExecutable(PROGRAM);
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Starts it with a subcommand: {@code allocate} or {@code match}. */
    static Upstream start(String subcommand) {
        try {
            return new Upstream(new ProcessBuilder(PROGRAM.toAbsolutePath().toString(), subcommand)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The answer to each question, in their order. */
    List<Node.Mapping> ask(List<String> lines) {
        Thread writing = Thread.ofVirtual().start(() -> write(lines));
        try {
            List<Node.Mapping> read = new ArrayList<>(lines.size());
            for (int i = 0; i < lines.size(); i++) {
                String line = answers.readLine();
                if (line == null) {
                    throw new IllegalStateException("upstream ended before it answered: " + lines.get(i));
                }
                read.add(parsed(line));
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
                questions.write(line);
                questions.write('\n');
            }
            questions.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Node.Mapping parsed(String line) throws IOException {
        List<Node.Mapping> found = new ArrayList<>();
        try {
            DocumentReader.read(new StringReader(line), 1, NodeLimits.DEFAULT, texts, new DocumentReader.Receiver() {
                @Override
                public boolean isList(Node.Mapping begin) {
                    return false;
                }

                @Override
                public void item(Node.Mapping begin, int index, Node item) {
                    throw new IllegalStateException("no list was announced");
                }

                @Override
                public void listEnd(Node.Mapping list, int items) {
                    throw new IllegalStateException("no list was announced");
                }

                @Override
                public void document(Node root) {
                    found.add((Node.Mapping) root);
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
