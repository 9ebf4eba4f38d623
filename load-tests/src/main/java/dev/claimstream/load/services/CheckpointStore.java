package dev.claimstream.load.services;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** An object store for checkpoints on loopback, the gateway of {@code platform/testbed/object-store}, and a key that signs them. */
final class CheckpointStore implements AutoCloseable {
    /** Remedy if the program of the store is not built. */
    static final String REMEDY =
            "no object store: build it with platform/testbed/build object-store, or leave the checkpoints out";

    private static final Path PROGRAM = ProjectFolder.of("platform", "testbed", "object-store", "target", "versitygw");
    private static final Duration START_WITHIN = Duration.ofSeconds(60);
    private static final String BUCKET = "anchor";
    private static final String USER = "checkpoints";

    private final Path key;
    private final Path bucket;
    private final int port;
    private final Process process;

    private CheckpointStore(Path key, Path bucket, int port, Process process) {
        this.key = key;
        this.bucket = bucket;
        this.port = port;
        this.process = process;
    }

    /** Whether the program is built. */
    static boolean isBuilt() {
        return Files.isExecutable(PROGRAM);
    }

    /**
     * Starts the store, and makes a key.
     *
     * @param folder of its objects and its log, which the caller deletes
     * @throws IOException if the program does not start
     */
    static CheckpointStore start(Path folder) throws IOException, InterruptedException {
        Path own = Files.createDirectories(folder.resolve("store"));
        Path objects = own.resolve("data");
        Path bucket = Files.createDirectories(objects.resolve(BUCKET));
        Path log = own.resolve("log");
        int port = FreePort.next();
        var builder = new ProcessBuilder(
                        PROGRAM.toString(), "--port", "127.0.0.1:" + port, "--quiet", "posix", objects.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("ROOT_ACCESS_KEY", USER);
        builder.environment().put("ROOT_SECRET_KEY", USER);
        var store = new CheckpointStore(writeKey(own.resolve("key.pem")), bucket, port, builder.start());
        store.awaitPort(log);
        return store;
    }

    private static Path writeKey(Path file) throws IOException {
        try {
            byte[] encoded = KeyPairGenerator.getInstance("Ed25519")
                    .generateKeyPair()
                    .getPrivate()
                    .getEncoded();
            return Files.writeString(
                    file,
                    "-----BEGIN PRIVATE KEY-----\n%s\n-----END PRIVATE KEY-----\n"
                            .formatted(Base64.getMimeEncoder().encodeToString(encoded)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has Ed25519", e);
        }
    }

    private void awaitPort(Path log) throws IOException, InterruptedException {
        long limit = System.nanoTime() + START_WITHIN.toNanos();
        while (true) {
            try {
                new Socket(InetAddress.getLoopbackAddress(), port).close();
                return;
            } catch (IOException e) {
                if (!process.isAlive() || System.nanoTime() > limit) {
                    close();
                    throw new IOException("the object store did not start: " + Files.readString(log), e);
                }
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
    }

    /** The file of the private key. */
    Path key() {
        return key;
    }

    /** Location for the checkpoints. */
    String location() {
        return "s3://%s/load?endpoint=http://127.0.0.1:%d".formatted(BUCKET, port);
    }

    /** The credentials, as environment variables. */
    Map<String, String> environment() {
        return Map.of("AWS_ACCESS_KEY_ID", USER, "AWS_SECRET_ACCESS_KEY", USER);
    }

    /** Number of published checkpoints. */
    int checkpoints() throws IOException {
        try (Stream<Path> files = Files.walk(bucket)) {
            return (int) files.filter(file -> file.toString().endsWith(".json")).count();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
