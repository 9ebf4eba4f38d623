package dev.claimstream.kubernetes.controlplane;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A child process with a line protocol: one reply line per request line. It ends when its standard input is closed. */
final class ProgramSession implements AutoCloseable {
    private static final long SHUTDOWN_TIMEOUT_SECONDS = 20;

    private final Process process;
    private final BufferedWriter input;
    private final BufferedReader output;
    private final CompletableFuture<String> errorOutput;

    private ProgramSession(Process process) {
        this.process = process;
        this.input = process.outputWriter(StandardCharsets.UTF_8);
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.errorOutput = collectErrors(process);
    }

    private static CompletableFuture<String> collectErrors(Process process) {
        return CompletableFuture.supplyAsync(
                () -> read(process.errorReader(StandardCharsets.UTF_8)), ProgramSession::startReader);
    }

    /** Starts a platform thread: a read from a pipe would block a carrier of virtual threads for as long as the process runs. */
    private static Thread startReader(Runnable reader) {
        return Thread.ofPlatform().daemon().start(reader);
    }

    private static String read(BufferedReader text) {
        try {
            return text.readAllAsString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ProgramSession start(List<String> line) {
        return new ProgramSession(launch(line));
    }

    private static Process launch(List<String> line) {
        try {
            return new ProcessBuilder(line).start();
        } catch (IOException e) {
            throw new ControlPlaneException("%s cannot be run: %s".formatted(line.getFirst(), e.getMessage()), e);
        }
    }

    /** Runs a process that ends by itself, and returns its standard output. */
    static String run(List<String> line, Optional<String> input) {
        Process process = launch(line);
        CompletableFuture<String> errorOutput = collectErrors(process);
        try (var stdin = process.outputWriter(StandardCharsets.UTF_8)) {
            stdin.write(input.orElse(""));
        } catch (IOException e) {
            // The process did not read all input. Its exit code says whether that is an error.
        }
        String output = read(process.inputReader(StandardCharsets.UTF_8));
        int status = exitCode(process, line);
        if (status != 0) {
            throw new ControlPlaneException("%s: exit code %d: %s"
                    .formatted(
                            String.join(" ", line), status, errorOutput.join().strip()));
        }
        return output;
    }

    /** Waits for the process itself. A future of its end needs a thread of the common pool, which may be busy for long. */
    private static int exitCode(Process process, List<String> line) {
        try {
            return process.waitFor();
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new ControlPlaneException("%s: interrupted".formatted(String.join(" ", line)), e);
        }
    }

    long pid() {
        return process.pid();
    }

    synchronized String request(String question) {
        try {
            input.write(question + "\n");
            input.flush();
        } catch (IOException e) {
            throw failure(e.toString());
        }
        return readReply();
    }

    /** Reads the next line of output. */
    synchronized String readReply() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw failure("it has ended");
            }
            return line;
        } catch (IOException e) {
            throw failure(e.toString());
        }
    }

    /** Forwards every further line of output until the process ends. */
    Thread forwardLines(Consumer<String> lines) {
        return startReader(() -> {
            try {
                output.lines().forEach(lines);
            } catch (UncheckedIOException e) {
                lines.accept("it was killed: " + e.getMessage());
            }
        });
    }

    /** Asks the process to end by closing its standard input. */
    void requestEnd() {
        try {
            input.close();
        } catch (IOException e) {
            process.destroy();
        }
    }

    private ControlPlaneException failure(String how) {
        process.destroy();
        String reason = errorOutput.join().strip();
        return new ControlPlaneException(reason.isEmpty() ? "control plane: " + how : reason);
    }

    @Override
    public void close() {
        requestEnd();
        try {
            if (!process.waitFor(SHUTDOWN_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
