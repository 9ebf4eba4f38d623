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
final class Conversation implements AutoCloseable {
    private static final long END_SECONDS = 20;

    private final Process process;
    private final BufferedWriter questions;
    private final BufferedReader answers;
    private final CompletableFuture<String> complaints;

    private Conversation(Process process) {
        this.process = process;
        this.questions = process.outputWriter(StandardCharsets.UTF_8);
        this.answers = process.inputReader(StandardCharsets.UTF_8);
        this.complaints = heard(process);
    }

    private static CompletableFuture<String> heard(Process process) {
        return CompletableFuture.supplyAsync(
                () -> read(process.errorReader(StandardCharsets.UTF_8)), Conversation::onThread);
    }

    private static void onThread(Runnable task) {
        Thread.ofVirtual().start(task);
    }

    private static String read(BufferedReader text) {
        try {
            return text.readAllAsString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Conversation begin(List<String> line) {
        return new Conversation(launch(line));
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
        CompletableFuture<String> complaints = heard(process);
        try (var questions = process.outputWriter(StandardCharsets.UTF_8)) {
            questions.write(input.orElse(""));
        } catch (IOException e) {
            // The process did not read all input. Its exit code says whether that is an error.
        }
        String said = read(process.inputReader(StandardCharsets.UTF_8));
        int status = exitCode(process, line);
        if (status != 0) {
            throw new ControlPlaneException("%s: exit code %d: %s"
                    .formatted(String.join(" ", line), status, complaints.join().strip()));
        }
        return said;
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

    synchronized String ask(String question) {
        try {
            questions.write(question + "\n");
            questions.flush();
        } catch (IOException e) {
            throw ended(e.toString());
        }
        return answer();
    }

    /** Reads the next line of output. */
    synchronized String answer() {
        try {
            String line = answers.readLine();
            if (line == null) {
                throw ended("it has ended");
            }
            return line;
        } catch (IOException e) {
            throw ended(e.toString());
        }
    }

    /** Forwards every further line of output until the process ends. */
    Thread pass(Consumer<String> lines) {
        return Thread.ofVirtual().start(() -> {
            try {
                answers.lines().forEach(lines);
            } catch (UncheckedIOException e) {
                lines.accept("it was ended by force: " + e.getMessage());
            }
        });
    }

    /** Asks the process to end by closing its standard input. */
    void end() {
        try {
            questions.close();
        } catch (IOException e) {
            process.destroy();
        }
    }

    private ControlPlaneException ended(String how) {
        process.destroy();
        String why = complaints.join().strip();
        return new ControlPlaneException(why.isEmpty() ? "control plane: " + how : why);
    }

    @Override
    public void close() {
        end();
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
        }
    }
}
