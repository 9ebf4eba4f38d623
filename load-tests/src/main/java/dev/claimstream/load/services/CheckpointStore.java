package dev.claimstream.load.services;

import dev.claimstream.testbed.ObjectStoreGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Stream;

/** An object store for checkpoints, and a key that signs them. */
final class CheckpointStore implements AutoCloseable {
    /** Remedy if the program of the store is not built. */
    static final String REMEDY =
            "no object store: build it with platform/testbed/build object-store, or leave the checkpoints out";

    private static final String BUCKET = "anchor";
    private static final String USER = "checkpoints";

    private final Path key;
    private final ObjectStoreGateway gateway;

    private CheckpointStore(Path key, ObjectStoreGateway gateway) {
        this.key = key;
        this.gateway = gateway;
    }

    /** Whether the program is built. */
    static boolean isBuilt() {
        return ObjectStoreGateway.isBuilt();
    }

    /**
     * Starts the store, and makes a key.
     *
     * @param folder of its objects and its log, which the caller deletes
     * @throws IOException if the program does not start
     */
    static CheckpointStore start(Path folder) throws IOException {
        Path own = Files.createDirectories(folder.resolve("store"));
        Path key = writeKey(own.resolve("key.pem"));
        var gateway = ObjectStoreGateway.start(ObjectStoreGateway.GatewaySetup.of(own, FreePort.next(), USER, USER));
        gateway.createBucket(BUCKET);
        return new CheckpointStore(key, gateway);
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

    /** The file of the private key. */
    Path key() {
        return key;
    }

    /** Location for the checkpoints. */
    String location() {
        return gateway.location(BUCKET, "load");
    }

    /** The credentials, as environment variables. */
    Map<String, String> environment() {
        return Map.of("AWS_ACCESS_KEY_ID", USER, "AWS_SECRET_ACCESS_KEY", USER);
    }

    /** Number of published checkpoints. */
    int checkpoints() throws IOException {
        try (Stream<Path> files = Files.walk(gateway.bucket(BUCKET))) {
            return (int) files.filter(file -> file.toString().endsWith(".json")).count();
        }
    }

    @Override
    public void close() {
        gateway.close();
    }
}
