package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.CheckpointFiles;
import dev.claimstream.audit.ForwardingLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Archives in a real object store, with Object Lock, and what users see if the store cannot be used. */
final class S3StoreIT extends ArchiveStoreContract {
    private static final String PLAIN = "plain";
    private static final String LOCKED = "locked";
    private static final String LEDGER = LogVerifier.LEDGER + "-0";
    private static final AtomicInteger PREFIXES = new AtomicInteger();

    @TempDir
    private static Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init")
    private static ObjectStoreServer server;

    @SuppressWarnings("NullAway.Init")
    private static S3Client client;

    private String bucket = PLAIN;
    private String prefix = "";

    @BeforeAll
    static void startServer() {
        server = ObjectStoreServer.start(folder);
        client = server.client();
        var unused = client.createBucket(request -> request.bucket(PLAIN));
        unused = client.createBucket(request -> request.bucket(LOCKED).objectLockEnabledForBucket(true));
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            client.close();
            server.close();
        }
    }

    @BeforeEach
    void takePrefix() {
        prefix = "archive-" + PREFIXES.incrementAndGet();
    }

    @Override
    ArchiveStore open() {
        return ArchiveStore.of(server.location(bucket, prefix)
                + (bucket.equals(LOCKED) ? "&object-lock=compliance&object-lock-days=2" : ""));
    }

    @Override
    void replace(String name, byte[] content) {
        var unused = client.putObject(
                request -> request.bucket(bucket).key(prefix + '/' + name), RequestBody.fromBytes(content));
    }

    @Override
    void remove(String name) {
        var unused = client.deleteObject(request -> request.bucket(bucket).key(prefix + '/' + name));
    }

    private List<ObjectVersion> versions(String name) {
        return client.listObjectVersions(request -> request.bucket(bucket).prefix(prefix + '/' + name))
                .versions();
    }

    @Test
    void lockedObjectSurvivesItsWriter() {
        bucket = LOCKED;
        archive(log);
        String manifest = LEDGER + '/' + files(".json").get(1);
        ObjectVersion sealed = versions(manifest).getFirst();
        assertThatThrownBy(() -> client.deleteObject(
                        request -> request.bucket(bucket).key(sealed.key()).versionId(sealed.versionId())))
                .isInstanceOf(S3Exception.class);
        assertThat(problems()).isEmpty();
    }

    @Test
    void namesReplacedCheckpoint() {
        bucket = LOCKED;
        String first = "checkpoints/20260301T120000000Z.json";
        String second = "checkpoints/20260302T120000000Z.json";
        replace(first, new byte[] {1});
        replace(second, new byte[] {1});
        replace(LEDGER + "/00000000000000000000.json", new byte[] {1});
        replace(LEDGER + "/00000000000000000000.json", new byte[] {2});
        try (ArchiveStore store = open()) {
            assertThat(new CheckpointFiles(store).replaced()).isEmpty();
            replace(second, new byte[] {2});
            assertThat(new CheckpointFiles(store).replaced())
                    .singleElement()
                    .asString()
                    .startsWith("changed: s3://locked/%s/%s was written again at".formatted(prefix, second));
        }
    }

    @Test
    void namesReplacedManifestAndDeletedEnd() {
        bucket = LOCKED;
        archive(log);
        List<String> manifests = files(".json");
        String changed = LEDGER + '/' + manifests.get(1);
        String sealed = versions(changed).getFirst().versionId();
        byte[] content = client.getObjectAsBytes(
                        request -> request.bucket(bucket).key(prefix + '/' + changed))
                .asByteArray();
        replace(changed, content);
        remove(LEDGER + '/' + manifests.getLast());
        assertThat(problems())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith(
                                        "changed: s3://locked/%s/%s was written again at".formatted(prefix, changed))
                                .contains("first version, " + sealed),
                        last -> assertThat(last)
                                .startsWith("missing: s3://locked/%s/%s/%s was deleted"
                                        .formatted(prefix, LEDGER, manifests.getLast()))
                                .contains("Restore version "));
    }

    @Test
    void namesEveryManifestOfDeletedPartition() {
        bucket = LOCKED;
        archive(log);
        List<String> manifests = files(".json");
        files("").forEach(each -> remove(LEDGER + '/' + each));
        assertThat(problems())
                .hasSameSizeAs(manifests)
                .allSatisfy(each -> assertThat(each)
                        .startsWith("missing: s3://locked/%s/%s/".formatted(prefix, LEDGER))
                        .contains("Restore version "));
    }

    @Test
    void keepsFirstOfTwoWriters() {
        var second = new ForwardingLog(log) {
            private boolean isFirst = true;

            @Override
            public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
                super.forEach(topic, partition, from, to, action);
                if (isFirst) {
                    isFirst = false;
                    archive(log); // another program, while this one has an open segment
                }
            }
        };
        assertThatThrownBy(() -> {
                    try (ArchiveStore store = open();
                            var archiver =
                                    new Archiver(second, store, Archiver.SegmentLimits.DEFAULT, "0.1", _ -> {})) {
                        archiver.run();
                    }
                })
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("exists already: another program archives to s3://plain/" + prefix);
        assertThat(problems()).isEmpty();
        assertThat(archive(log).records()).isZero();
    }

    @Test
    void resumesAfterServerWasKilled() {
        var killing = new ForwardingLog(log) {
            private int left = 120;

            @Override
            public void forEach(String topic, int partition, long from, long to, Predicate<LogRecord> action) {
                super.forEach(topic, partition, from, to, record -> {
                    if (left-- == 0) {
                        server.kill();
                    }
                    return action.test(record);
                });
            }
        };
        try {
            assertThatThrownBy(() -> archive(killing))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining("s3://plain/%s/cells.in-0/".formatted(prefix))
                    .hasMessageContaining("no response from " + server.endpoint())
                    .hasMessageContaining("Check the endpoint, the network and the server");
        } finally {
            server.restart();
        }
        archive(log);
        assertThat(problems()).isEmpty();
        try (var archived = new ArchiveLog(open())) {
            assertThat(records(archived, LogVerifier.LEDGER))
                    .usingRecursiveComparison()
                    .isEqualTo(records(log, LogVerifier.LEDGER));
        }
    }

    @Test
    void namesMissingBucket() {
        bucket = "absent";
        assertThatThrownBy(() -> archive(log))
                .isInstanceOf(AuditException.class)
                .hasMessage(
                        "s3://absent/%s cannot be read: bucket absent does not exist at %s. Create the bucket, or name another one."
                                .formatted(prefix, server.endpoint()));
    }

    @Test
    void namesRejectedCredentials() {
        System.setProperty("aws.secretAccessKey", "wrong");
        try {
            assertThatThrownBy(() -> archive(log))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining("s3://plain/" + prefix)
                    .hasMessageContaining(server.endpoint() + " rejects the credentials (SignatureDoesNotMatch)")
                    .hasMessageContaining("Correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
        } finally {
            System.setProperty("aws.secretAccessKey", ObjectStoreServer.SECRET_KEY);
        }
    }

    @Test
    void namesAbsentServer() {
        assertThatThrownBy(() -> new ArchiveLog(ArchiveStore.of("s3://plain/a?endpoint=http://127.0.0.1:1")))
                .isInstanceOf(AuditException.class)
                .hasMessageContaining("s3://plain/a cannot be read: no response from http://127.0.0.1:1: no connection")
                .hasMessageContaining("Check the endpoint");
    }

    @Test
    void namesBucketWithoutObjectLock() {
        try (ArchiveStore store =
                ArchiveStore.of(server.location(PLAIN, prefix) + "&object-lock=governance&object-lock-days=2")) {
            assertThatThrownBy(() -> store.write("a/1", "text", ArchiveStore.Publication.NEW))
                    .isInstanceOf(AuditException.class)
                    .hasMessageContaining("s3://plain/%s/a/1 cannot be written".formatted(prefix))
                    .hasMessageContaining("Create the bucket with Object Lock, or leave out object-lock");
        }
    }

    @Test
    void namesEmptyArchive() {
        assertThatThrownBy(() -> new ArchiveLog(open()))
                .hasMessageContaining("s3://plain/%s has no segment".formatted(prefix));
    }
}
