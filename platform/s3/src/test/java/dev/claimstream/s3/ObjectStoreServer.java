package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.testbed.ObjectStoreGateway;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import software.amazon.awssdk.services.s3.S3Client;

/** A real object store with versions, and a client of it. */
final class ObjectStoreServer implements AutoCloseable {
    static final String ACCESS_KEY = "archive";
    static final String SECRET_KEY = "archive-secret";

    private static final String MISSING =
            "NOT TRIED: archives in a real object store. Archives in folders are still tested. "
                    + ObjectStoreGateway.REMEDY;

    private final ObjectStoreGateway gateway;

    private ObjectStoreServer(ObjectStoreGateway gateway) {
        this.gateway = gateway;
    }

    /** Starts a server, or skips the test with a message if its program is not built; with {@code CI} it fails. */
    static ObjectStoreServer start(Path folder) {
        boolean isBuilt = ObjectStoreGateway.isBuilt();
        assertThat(isBuilt || System.getenv("CI") == null).as(MISSING).isTrue();
        if (!isBuilt) {
            System.err.println(MISSING);
        }
        assumeTrue(isBuilt, MISSING);
        System.setProperty("aws.accessKeyId", ACCESS_KEY);
        System.setProperty("aws.secretAccessKey", SECRET_KEY);
        try {
            return new ObjectStoreServer(ObjectStoreGateway.start(
                    ObjectStoreGateway.GatewaySetup.of(folder, freePort(), ACCESS_KEY, SECRET_KEY)
                            .withVersions(folder.resolve("versions"))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** The location of an archive. */
    String location(String bucket, String prefix) {
        return gateway.location(bucket, prefix);
    }

    URI endpoint() {
        return gateway.endpoint();
    }

    S3Client client() {
        return S3Clients.of(S3Location.of(location("any", "")), S3Clients.RESPONSE_TIMEOUT);
    }

    /** Ends the server at once. */
    void kill() {
        gateway.kill();
    }

    /** Starts a killed server with the same objects. */
    void restart() {
        gateway.restart();
    }

    @Override
    public void close() {
        gateway.close();
    }
}
