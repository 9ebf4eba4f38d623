package dev.claimstream.systemtests.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** An S3-compatible store on a folder, in a process of its own. An object is a file with its name. */
public final class ObjectStoreProgram implements AutoCloseable {
    private static final Path PROGRAM = Path.of(
                    "..", "..", "platform", "testbed", "object-store", "target", "versitygw")
            .toAbsolutePath()
            .normalize();
    private static final String MISSING =
            "NOT TRIED: checkpoints of the Helm chart in an object store. Build it with platform/testbed/build object-store";
    private static final String ACCESS_KEY = "checkpoints";
    private static final String SECRET_KEY = "checkpoints-secret";

    private final Path data;
    private final int port;
    private final Process process;

    private ObjectStoreProgram(Path data, int port, Process process) {
        this.data = data;
        this.port = port;
        this.process = process;
    }

    /** Starts a store with one bucket, or skips the test with a message if its program is not built; with {@code CI} it fails. */
    public static ObjectStoreProgram start(Path folder, int port, String bucket)
            throws IOException, InterruptedException {
        boolean isBuilt = Files.isExecutable(PROGRAM);
        assertThat(isBuilt || System.getenv("CI") == null).as(MISSING).isTrue();
        assumeTrue(isBuilt, MISSING);
        Path data = folder.resolve("object-store");
        Files.createDirectories(data.resolve(bucket));
        Path log = folder.resolve("object-store.log");
        var builder = new ProcessBuilder(
                        PROGRAM.toString(), "--port", "127.0.0.1:" + port, "--quiet", "posix", data.toString())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("ROOT_ACCESS_KEY", ACCESS_KEY);
        builder.environment().put("ROOT_SECRET_KEY", SECRET_KEY);
        var store = new ObjectStoreProgram(data, port, builder.start());
        Program.await(store::isOpen, "port of the object store, whose log is " + log, Duration.ofMinutes(1));
        return store;
    }

    private boolean isOpen() {
        try {
            new Socket(InetAddress.getLoopbackAddress(), port).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** The location of a prefix in a bucket, for {@code --archive} and {@code --publish}. */
    public String location(String bucket, String prefix) {
        return "s3://%s/%s?endpoint=http://127.0.0.1:%d".formatted(bucket, prefix, port);
    }

    /** The folder of the objects of a bucket with a prefix. */
    public Path objects(String bucket, String prefix) {
        return data.resolve(bucket).resolve(prefix);
    }

    /** The credentials file of AWS for this store. */
    public static String credentials() {
        return "[default]%naws_access_key_id = %s%naws_secret_access_key = %s%n".formatted(ACCESS_KEY, SECRET_KEY);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
