package dev.claimstream.cli.doctor;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.examination.KafkaExamination;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Inspects security and durability of brokers and schema registry, and the certificates of all servers.
 *
 * @param kafka empty if no broker responds
 * @param registry empty if no registry responds
 * @param apiServer URL of the API server, if a cluster is checked
 * @param principal whose credentials doctor uses, by its name in {@code principals.yaml}
 * @param principalPrefix text before the name of each principal in Kafka
 */
public record SecurityInspector(
        Optional<KafkaConnection> kafka,
        Optional<RestRegistry.RegistrySettings> registry,
        Optional<URI> apiServer,
        Optional<String> principal,
        String principalPrefix) {
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);
    private static final String CLIENT_CERTIFICATE = "pem.certificate.file";
    private static final String PROTOCOL = "security.protocol";
    private static final String HTTPS = "https";
    private static final int HTTPS_PORT = 443;

    public List<DoctorFinding> findings(Instant now) {
        List<DoctorFinding> findings = new ArrayList<>();
        kafka.ifPresent(each -> findings.addAll(kafkaReport(each).findings()));
        registry.ifPresent(each -> {
            try (var client = new RestRegistry(each.within(ServiceQueries.RESPONSE_TIMEOUT))) {
                findings.addAll(RegistryReport.of(client).findings());
            }
        });
        findings.addAll(certificates().findings(now));
        return findings;
    }

    private KafkaReport kafkaReport(KafkaConnection connection) {
        try (var examination = KafkaExamination.of(connection, ServiceQueries.RESPONSE_TIMEOUT)) {
            return new KafkaReport(
                    protocol(connection),
                    ServiceQueries.kafka(
                            () -> new KafkaReport.TopicReplication(examination.brokers(), examination.topics())),
                    ServiceQueries.kafka(examination::brokerSettings),
                    ServiceQueries.kafka(() -> examination.permissions(principalPrefix)),
                    ServiceQueries.kafka(() -> examination.missingQuotas(principalPrefix)),
                    principal.map(name -> new KafkaReport.OwnPermissions(
                            name,
                            ServiceQueries.kafka(() -> examination.ownMissing(
                                    PrincipalTable.shipped().get(name))))));
        }
    }

    private static String protocol(KafkaConnection connection) {
        return connection.security().getOrDefault(PROTOCOL, "PLAINTEXT");
    }

    private CertificateReport certificates() {
        SortedMap<String, QueryResult<Instant>> expiry = new TreeMap<>();
        kafka.filter(each -> protocol(each).endsWith("SSL")).ifPresent(connection -> {
            Arrays.stream(connection.bootstrap().split(",", -1))
                    .map(String::strip)
                    .filter(server -> !server.isEmpty()) // Kafka ignores the end of "host:9092,"
                    .forEach(server -> {
                        int colon = server.lastIndexOf(':');
                        expiry.put(
                                server,
                                CertificateReader.ofServer(
                                        server.substring(0, colon),
                                        Integer.parseInt(server.substring(colon + 1)),
                                        HANDSHAKE_TIMEOUT));
                    });
            Optional.ofNullable(connection.security().get(CLIENT_CERTIFICATE))
                    .ifPresent(file -> expiry.put(file, CertificateReader.ofFile(Path.of(file))));
        });
        Stream.concat(registry.map(RestRegistry.RegistrySettings::url).stream(), apiServer.stream())
                .filter(each -> HTTPS.equals(each.getScheme()))
                .forEach(each -> {
                    int port = each.getPort() < 0 ? HTTPS_PORT : each.getPort();
                    expiry.put(
                            each.getHost() + ":" + port,
                            CertificateReader.ofServer(each.getHost(), port, HANDSHAKE_TIMEOUT));
                });
        return new CertificateReport(expiry);
    }
}
