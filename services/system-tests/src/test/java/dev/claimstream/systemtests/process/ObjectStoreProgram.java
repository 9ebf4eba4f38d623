package dev.claimstream.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.testbed.ObjectStoreGateway;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An object store with one bucket, and the credentials for it. */
public final class ObjectStoreProgram implements AutoCloseable {
    private static final String MISSING =
            "NOT TRIED: checkpoints of the Helm chart in an object store. " + ObjectStoreGateway.REMEDY;
    private static final String ACCESS_KEY = "checkpoints";
    private static final String SECRET_KEY = "checkpoints-secret";

    private final ObjectStoreGateway gateway;

    private ObjectStoreProgram(ObjectStoreGateway gateway) {
        this.gateway = gateway;
    }

    /** Starts a store with one bucket, or skips the test with a message if its program is not built; with {@code CI} it fails. */
    public static ObjectStoreProgram start(Path folder, int port, String bucket) throws IOException {
        boolean isBuilt = ObjectStoreGateway.isBuilt();
        assertThat(isBuilt || System.getenv("CI") == null).as(MISSING).isTrue();
        assumeTrue(isBuilt, MISSING);
        Path store = Files.createDirectories(folder.resolve("object-store"));
        var gateway = ObjectStoreGateway.start(ObjectStoreGateway.GatewaySetup.of(store, port, ACCESS_KEY, SECRET_KEY));
        gateway.createBucket(bucket);
        return new ObjectStoreProgram(gateway);
    }

    /** The location of a prefix in a bucket, for {@code --archive} and {@code --publish}. */
    public String location(String bucket, String prefix) {
        return gateway.location(bucket, prefix);
    }

    /** The folder of the objects of a bucket with a prefix. */
    public Path objects(String bucket, String prefix) {
        return gateway.bucket(bucket).resolve(prefix);
    }

    /** The credentials file of AWS for this store. */
    public static String credentials() {
        return "[default]%naws_access_key_id = %s%naws_secret_access_key = %s%n".formatted(ACCESS_KEY, SECRET_KEY);
    }

    @Override
    public void close() {
        gateway.close();
    }
}
