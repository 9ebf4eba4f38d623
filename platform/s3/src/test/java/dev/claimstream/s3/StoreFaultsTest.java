package dev.claimstream.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.SegmentLimits;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.FolderStore;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.RecordedLogs;
import dev.claimstream.s3.FaultyStoreServer.StoreFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What readers of an archive are told if its store rejects requests, does not answer, or stops in an object. */
final class StoreFaultsTest {
    private static final String LEDGER = LogVerifier.LEDGER + "-0";
    private static final List<String> CREDENTIALS = List.of("aws.accessKeyId", "aws.secretAccessKey");

    @TempDir
    private Path folder = Path.of("");

    @SuppressWarnings("NullAway.Init") // start sets it before each test
    private FaultyStoreServer server;

    @BeforeEach
    void start() throws IOException {
        CREDENTIALS.forEach(each -> System.setProperty(each, "test"));
        try (var archiver = new Archiver(
                RecordedLogs.of(1, 200), new FolderStore(folder), new SegmentLimits(50, 1 << 20), "0.1", _ -> {})) {
            archiver.run();
        }
        server = FaultyStoreServer.start(folder);
    }

    @AfterEach
    void stop() {
        server.close();
        CREDENTIALS.forEach(System::clearProperty);
    }

    /** Reads the whole ledger, as commands do. */
    private int read() {
        var location = S3Location.of("s3://bucket?endpoint=" + server.endpoint());
        try (var archived = new ArchiveLog(S3Store.open(location, Duration.ofMillis(300)))) {
            int[] count = {0};
            archived.forEach(
                    LogVerifier.LEDGER,
                    0,
                    archived.begin(LogVerifier.LEDGER, 0),
                    archived.end(LogVerifier.LEDGER, 0),
                    record -> ++count[0] > 0);
            return count[0];
        }
    }

    private String firstFile(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve(LEDGER))) {
            return files.map(each -> LEDGER + "/" + each.getFileName())
                    .filter(each -> each.endsWith(suffix))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void readsWithoutFaults() {
        assertThat(read()).isPositive();
    }

    @ParameterizedTest
    @EnumSource(StoreFault.class)
    void namesSegmentAndRemedy(StoreFault fault) throws IOException {
        String segment = firstFile(".avro");
        server.fail(segment, fault);
        assertNames(segment, fault);
    }

    @ParameterizedTest
    @EnumSource(StoreFault.class)
    void namesManifestAndRemedy(StoreFault fault) throws IOException {
        String manifest = firstFile(".json");
        server.fail(manifest, fault);
        assertNames(manifest, fault);
    }

    @ParameterizedTest
    @EnumSource(names = {"REJECTS", "IS_SILENT"})
    void namesListAndRemedy(StoreFault fault) {
        server.fail(LEDGER + "/", fault);
        assertNames(LEDGER, fault);
    }

    private void assertNames(String object, StoreFault fault) {
        assertThatThrownBy(this::read)
                .isInstanceOf(AuditException.class)
                .hasMessageContaining(object + " cannot be read: ")
                .hasMessageContaining(
                        switch (fault) {
                            case REJECTS ->
                                "answers 503 SlowDown: Reduce your request rate.. The store is overloaded or restarts: try again when it answers.";
                            case IS_SILENT -> "no response from " + server.endpoint();
                            case STOPS -> "Check the connection";
                        })
                .message()
                .contains(fault == StoreFault.IS_SILENT ? "Check the endpoint, the network and the server" : "");
    }
}
