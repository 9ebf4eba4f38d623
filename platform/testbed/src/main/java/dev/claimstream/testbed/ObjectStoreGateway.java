package dev.claimstream.testbed;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An S3-compatible object store on a folder: Versity's gateway, which {@code platform/testbed/build object-store} compiles.
 *
 * <p>It listens on loopback. An object is a file with its name, and a bucket is a folder. Not thread-safe.
 */
public final class ObjectStoreGateway implements AutoCloseable {
    /** How to build the program. */
    public static final String REMEDY =
            "Build the object store with `platform/testbed/build object-store`, which needs Go (https://go.dev/dl); or let"
                    + " `.ci/run upstream` fetch a Go and build it.";

    private static final Path BUILD_PATH = Path.of("platform", "testbed", "object-store", "target", "versitygw");
    private static final Duration START_MAX = Duration.ofSeconds(60);
    private static final Duration END_MAX = Duration.ofSeconds(30);
    private static final long PAUSE_MS = 20;

    private final GatewaySetup setup;
    private Process process;

    /**
     * The settings of a store.
     *
     * @param data folder of the buckets
     * @param versions folder of former versions of objects; absent for a store without versions
     * @param log file of the output
     * @param port port on loopback
     */
    public record GatewaySetup(
            Path data, Optional<Path> versions, Path log, int port, String accessKey, String secretKey) {
        /** Returns a store without versions in a folder. */
        public static GatewaySetup of(Path folder, int port, String accessKey, String secretKey) {
            return new GatewaySetup(
                    folder.resolve("data"), Optional.empty(), folder.resolve("log"), port, accessKey, secretKey);
        }

        /** Returns the same store with versions and Object Lock. */
        public GatewaySetup withVersions(Path folder) {
            return new GatewaySetup(data, Optional.of(folder), log, port, accessKey, secretKey);
        }
    }

    private ObjectStoreGateway(GatewaySetup setup, Process process) {
        this.setup = setup;
        this.process = process;
    }

    /** Returns whether the program is built in the source tree around the current folder. */
    public static boolean isBuilt() {
        return program().isPresent();
    }

    private static Optional<Path> program() {
        return Stream.iterate(
                        Optional.of(Path.of("").toAbsolutePath()),
                        Optional::isPresent,
                        each -> each.map(Path::getParent))
                .flatMap(Optional::stream)
                .map(folder -> folder.resolve(BUILD_PATH))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts a store, and waits for its port.
     *
     * @throws IOException if the program is not built, or does not start; the message has the remedy or its output
     */
    public static ObjectStoreGateway start(GatewaySetup setup) throws IOException {
        Files.createDirectories(setup.data());
        return new ObjectStoreGateway(setup, run(setup));
    }

    private static Process run(GatewaySetup setup) throws IOException {
        Path program = program().orElseThrow(() -> new IOException("there is no object store. " + REMEDY));
        List<String> command =
                new ArrayList<>(List.of(program.toString(), "--port", "127.0.0.1:" + setup.port(), "--quiet", "posix"));
        if (setup.versions().isPresent()) {
            Path versions = Files.createDirectories(setup.versions().get());
            command.addAll(List.of("--versioning-dir", versions.toString()));
        }
        command.add(setup.data().toString());
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(setup.log().toFile());
        builder.environment()
                .putAll(Map.of("ROOT_ACCESS_KEY", setup.accessKey(), "ROOT_SECRET_KEY", setup.secretKey()));
        Process process = builder.start();
        awaitPort(setup, process);
        return process;
    }

    private static void awaitPort(GatewaySetup setup, Process process) throws IOException {
        long limit = System.nanoTime() + START_MAX.toNanos();
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), setup.port()).close();
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > limit) {
                    process.destroyForcibly();
                    throw new IOException(
                            "the object store does not listen on port %d: %s"
                                    .formatted(setup.port(), Files.readString(setup.log())),
                            e);
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the object store starts", e);
        }
    }

    /** Returns the address of the store. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + setup.port());
    }

    /** Returns the location of a prefix in a bucket, for {@code --archive} and {@code --publish}. */
    public String location(String bucket, String prefix) {
        return "s3://%s/%s?endpoint=%s".formatted(bucket, prefix, endpoint());
    }

    /** Returns the folder of a bucket. */
    public Path bucket(String name) {
        return setup.data().resolve(name);
    }

    /** Creates a bucket, unless it exists. */
    public void createBucket(String name) throws IOException {
        Files.createDirectories(bucket(name));
    }

    /** Kills the store, and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        try {
            if (!process.waitFor(END_MAX.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("the object store does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a killed store with the same objects. */
    public void restart() {
        try {
            process = run(setup);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
