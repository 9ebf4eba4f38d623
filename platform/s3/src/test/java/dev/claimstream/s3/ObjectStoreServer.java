package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.s3.S3Client;

/** A real object store on a folder: Versity's S3 gateway, which {@code platform/testbed/build object-store} compiles with Go. */
final class ObjectStoreServer implements AutoCloseable {
    static final String ACCESS_KEY = "archive";
    static final String SECRET_KEY = "archive-secret";

    private static final Path FOLDER =
            Path.of("../testbed/object-store").toAbsolutePath().normalize();
    private static final Path PROGRAM = FOLDER.resolve("target/versitygw");
    private static final String MISSING = """
            NOT TRIED: archives in a real object store. Archives in folders are still tested.
            It needs the program of `platform/testbed/build object-store`, which needs Go: install it from https://go.dev/dl, or let \
            `.ci/run upstream` fetch one, and run the tests again.""";
    private static final Duration START_WITHIN = Duration.ofSeconds(60);

    private final Path folder;
    private final int port;
    private Process process;

    private ObjectStoreServer(Path folder, int port) {
        this.folder = folder;
        this.port = port;
        process = run();
    }

    /** Starts a server, or skips the test with a message if its program is not built; with {@code CI} it fails. */
    static ObjectStoreServer start(Path folder) {
        boolean isBuilt = Files.isExecutable(PROGRAM);
        assertThat(isBuilt || System.getenv("CI") == null).as(MISSING).isTrue();
        if (!isBuilt) {
            System.err.println(MISSING);
        }
        assumeTrue(isBuilt, MISSING);
        System.setProperty("aws.accessKeyId", ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", SECRET_KEY);
        return new ObjectStoreServer(folder, freePort());
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process run() {
        try {
            Path data = Files.createDirectories(folder.resolve("data"));
            Path versions = Files.createDirectories(folder.resolve("versions"));
            var builder = new ProcessBuilder(
                            PROGRAM.toString(),
                            "--port",
                            "127.0.0.1:" + port,
                            "--quiet",
                            "posix",
                            "--versioning-dir",
                            versions.toString(),
                            data.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve("log").toFile());
            builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
            builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
            Process started = builder.start();
            awaitPort(started);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void awaitPort(Process started) throws IOException {
        Instant end = Instant.now().plus(START_WITHIN);
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                assertThat(started.isAlive())
                        .as(Files.readString(folder.resolve("log")))
                        .isTrue();
                assertThat(Instant.now()).isBefore(end);
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(20);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The location of an archive. */
    String location(String bucket, String prefix) {
        return "s3://%s/%s?endpoint=%s".formatted(bucket, prefix, endpoint());
    }

    URI endpoint() {
        return URI.create("http://127.0.0.1:" + port);
    }

    S3Client client() {
        return S3Clients.of(S3Location.of(location("any", "")), S3Clients.SILENCE_MAX);
    }

    /** Ends the server at once. */
    void kill() {
        process.destroyForcibly();
        await();
    }

    /** Starts a killed server with the same objects. */
    void restart() {
        process = run();
    }

    private void await() {
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
