package dev.claimstream.load.beside;

import dev.claimstream.load.TemporaryFolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** {@code claimstream up} as a process, with its data in a temporary folder. */
final class ClaimstreamProcess implements AutoCloseable {
    private static final String READY = "Ctrl-C ends it";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SHOWN = 1_500;

    private final Process process;
    private final Path folder;
    private final Thread shutdownHook;

    private ClaimstreamProcess(Process process, Path folder) {
        this.process = process;
        this.folder = folder;
        this.shutdownHook = Thread.ofPlatform().unstarted(this::endQuietly);
        Runtime.getRuntime().addShutdownHook(shutdownHook);
    }

    /**
     * Starts the process for a cluster and waits until it is ready.
     *
     * @throws IOException if the process ends first; the message contains its error output
     */
    static ClaimstreamProcess up(Path launcher, Path kubeconfig) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("claimstream-beside");
        Process process = new ProcessBuilder(
                        launcher.toString(),
                        "up",
                        "--kubeconfig",
                        kubeconfig.toString(),
                        "--cool-down", // deleted pods never ran
                        "0",
                        "--data",
                        folder.resolve("data").toString())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        var started = new ClaimstreamProcess(process, folder);
        try {
            started.await();
            return started;
        } catch (IOException | InterruptedException e) {
            started.close();
            throw e;
        }
    }

    private void await() throws IOException, InterruptedException {
        long limit = System.nanoTime() + PATIENCE.toNanos();
        while (!Files.readString(folder.resolve("out")).contains(READY)) {
            if (System.nanoTime() > limit) {
                throw new IOException("claimstream up is not ready after %s: %s"
                        .formatted(PATIENCE.toMinutes() + " minutes", errorOutput()));
            }
            checkAlive();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    /** @throws IOException if the process has ended; the message contains its error output */
    void checkAlive() throws IOException {
        if (!process.isAlive()) {
            throw new IOException(
                    "claimstream up has ended with exit code %d: %s".formatted(process.exitValue(), errorOutput()));
        }
    }

    private String errorOutput() throws IOException {
        String text = Files.readString(folder.resolve("err")).strip();
        return text.substring(Math.max(0, text.length() - SHOWN));
    }

    long pid() {
        return process.pid();
    }

    /** Kills the process: its data are deleted anyway, and a clean shutdown takes seconds. */
    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(shutdownHook);
        end();
    }

    private void end() throws IOException {
        try {
            process.destroyForcibly().waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        TemporaryFolders.delete(folder);
    }

    /** Runs when the whole program ends, for example by Ctrl-C. */
    private void endQuietly() {
        try {
            end();
        } catch (IOException e) {
            System.err.println("load-tests/beside: %s stays: %s".formatted(folder, e.getMessage()));
        }
    }
}
