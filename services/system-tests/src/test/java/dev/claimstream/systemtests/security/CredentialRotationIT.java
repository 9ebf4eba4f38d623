package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.BrokerSettings.BrokerListener;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kafka.security.BrokerAccess;
import dev.claimstream.kafka.security.SaslCredentials.OAuthClient;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.workload.CheckerProgram;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.systemtests.workload.Users;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.config.internals.BrokerSecurityConfigs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no claim is lost or allocated twice while the credentials of the services and the certificate of the brokers
 * change. The broker demands authentication again every two seconds, so that the services use new passwords without a restart.
 */
@Timeout(300)
@Tag("part-4")
final class CredentialRotationIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SESSION = Duration.ofSeconds(2);
    private static final int DEVICES = 20;

    /** The agent has tokens of an OAuth server, the watcher a certificate, and the other services passwords. */
    private static final List<String> PASSWORDS = List.of("allocator", "writer", "console");

    @TempDir
    private Path folder = Path.of("");

    private static BrokerSettings withTokens(BrokerSettings settings, int port, TokenServer tokens) {
        String listener = "listener.name.oauth.oauthbearer.";
        String session = Long.toString(SESSION.toMillis());
        return settings.with(new BrokerListener("OAUTH", "SASL_SSL", port))
                .with("listener.name.oauth.sasl.enabled.mechanisms", "OAUTHBEARER")
                .with(
                        listener + "sasl.jaas.config",
                        "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;")
                .with(
                        listener + "sasl.server.callback.handler.class",
                        "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler")
                .with("sasl.oauthbearer.jwks.endpoint.url", tokens.keySet().toString())
                .with("sasl.oauthbearer.expected.audience", TokenServer.AUDIENCE)
                .with(listener + "connections.max.reauth.ms", session)
                .with("listener.name.sasl.scram-sha-512.connections.max.reauth.ms", session);
    }

    private KafkaConnection tokenConnection(AuthorizedBroker broker, int port, TokenServer tokens, String secret)
            throws Exception {
        var file = new SecretFile(Files.writeString(folder.resolve("client-secret"), secret));
        return broker.connection(
                new OAuthClient(tokens.tokenEndpoint(), "claimstream-agent", file, Optional.of("kafka")), port);
    }

    @Test
    void noClaimIsLostWhileCredentialsRotate() throws Exception {
        String secret = "client secret";
        int port = FreePorts.of(1).getFirst();
        try (var tokens = TokenServer.start("claimstream-agent", secret)) {
            System.setProperty(
                    BrokerSecurityConfigs.ALLOWED_SASL_OAUTHBEARER_URLS_CONFIG,
                    "%s,%s".formatted(tokens.keySet(), tokens.tokenEndpoint()));
            try (var broker = AuthorizedBroker.start(folder, settings -> withTokens(settings, port, tokens))) {
                var unused = TopicSetup.createMissing(
                        broker.connection("topics"), Topics.shipped().withChangelogs(), TIMEOUT);
                try (var registry = EmbeddedRegistry.open(broker.administrator());
                        var server = registry.serve(0);
                        var services = new AuthorizedServices(broker, folder, registry)) {
                    services.start("agent", tokenConnection(broker, port, tokens, secret));
                    services.start("watcher", broker.certificateConnection("watcher"));
                    for (String service : PASSWORDS) {
                        services.start(service);
                    }
                    services.apply(ClusterManifests.ofDevices(DEVICES));
                    rotate(broker, services, tokens);
                    assertTopicsAreConsistent(broker, server);
                }
            }
        }
    }

    private void rotate(AuthorizedBroker broker, AuthorizedServices services, TokenServer tokens) throws Exception {
        try (var stream = ClaimStream.start(services)) {
            int before = tokens.issued();
            broker.renewServerCertificate("renewed");
            await(() -> broker.serverName().equals("CN=renewed"), "renewed certificate of the broker");
            for (String service : PASSWORDS) {
                KafkaConnection kafka = broker.connection(service);
                String next = "next password of " + service;
                broker.setPassword(service, next);
                Files.writeString(broker.passwordFile(service), next);
                await(() -> isAccepted(kafka), "the next password of " + service); // brokers learn it a moment later
                Users.pause(SESSION.plusMillis(500));
                services.restartFailedAllocator();
            }
            KafkaConnection renewed = broker.renewClientCertificate("watcher");
            services.stop("watcher");
            services.start("watcher", renewed);
            await(() -> tokens.issued() >= before + 2, "two more tokens");
            int claims = stream.finish(TIMEOUT);
            await(
                    () -> !services.report().contains("DEGRADED")
                            && !services.report().contains("DOWN"),
                    "all parts of all services are UP");
            System.out.printf(
                    "rotation of certificates, passwords and tokens: %d claims allocated, %d tokens issued%n",
                    claims, tokens.issued());
        }
    }

    private static boolean isAccepted(KafkaConnection kafka) {
        return BrokerAccess.fault(kafka, TIMEOUT).isEmpty();
    }

    private void assertTopicsAreConsistent(AuthorizedBroker broker, RegistryServer registry) throws Exception {
        CommandResult checked =
                CheckerProgram.runUntilClean(folder, broker.administrator().bootstrap(), registry.url());
        assertThat(checked.exitCode()).as(checked.toString()).isZero();
    }

    private static void await(BooleanSupplier condition, String what) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
            Users.pause(Duration.ofMillis(50));
        }
    }
}
