package dev.claimstream.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.config.SslConfigs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Engines while the files change. */
final class PemSslEngineFactoryTest {
    /** Number of changes in a run with whole campaigns. */
    private static final int CHANGES_MAX = 200;

    private static final int CHANGES = CHANGES_MAX / Integer.getInteger("campaign.parts", 5);
    private static final int THREADS = 4;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void createsEnginesWhileTheFilesChange() throws Exception {
        String one = TestCertificates.in(folder).valid("one");
        String other = TestCertificates.in(folder).valid("other");
        Path file = Files.writeString(folder.resolve("ca.pem"), one);
        var isOver = new AtomicBoolean();
        try (var factory = new PemSslEngineFactory();
                var threads = Executors.newFixedThreadPool(THREADS)) {
            factory.configure(Map.of(
                    PemSslEngineFactory.CA_FILE,
                    file.toString(),
                    SslConfigs.SSL_PROTOCOL_CONFIG,
                    "TLSv1.3",
                    SslConfigs.SSL_CIPHER_SUITES_CONFIG,
                    List.of(),
                    SslConfigs.SSL_ENABLED_PROTOCOLS_CONFIG,
                    List.of("TLSv1.3")));
            List<Future<Integer>> results = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                results.add(threads.submit(() -> {
                    int engines = 0;
                    while (!isOver.get()) {
                        assertThatCode(() -> factory.createClientSslEngine("localhost", 9093, "https"))
                                .doesNotThrowAnyException();
                        engines++;
                    }
                    return engines;
                }));
            }
            Path next = folder.resolve("next.pem");
            for (int change = 0; change < CHANGES; change++) {
                Files.writeString(next, change % 2 == 0 ? other : one);
                Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
                factory.truststore();
            }
            isOver.set(true);
            for (Future<Integer> each : results) {
                assertThat(each.get()).isPositive();
            }
        }
    }
}
