package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.BrokerSettings.BrokerListener;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.systemtests.process.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

/** A broker with listeners for SASL_SSL, for SSL with client certificates, and with an expired certificate. */
final class SecuredBroker implements AutoCloseable {
    static final String USER = "claimstream";

    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;";

    private final EmbeddedBroker broker;
    private final List<Integer> ports;

    private SecuredBroker(EmbeddedBroker broker, List<Integer> ports) {
        this.broker = broker;
        this.ports = ports;
    }

    /** Starts a broker with the certificates {@code server} and {@code expired} of an authority. */
    static SecuredBroker start(Path folder, TestAuthority authority, String password)
            throws IOException, GeneralSecurityException, InterruptedException {
        List<Integer> ports = FreePorts.of(3);
        String server = authority.serverFile("server").toString();
        var settings = BrokerSettings.in(folder)
                .with(new BrokerListener("SASL", "SASL_SSL", ports.get(0)))
                .with(new BrokerListener("MUTUAL", "SSL", ports.get(1)))
                .with(new BrokerListener("EXPIRED", "SSL", ports.get(2)))
                .with("sasl.enabled.mechanisms", "SCRAM-SHA-512,PLAIN")
                .with("listener.name.sasl.scram-sha-512.sasl.jaas.config", SCRAM)
                .with(
                        "listener.name.sasl.plain.sasl.jaas.config",
                        "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
                                .formatted(USER, password.replace("\"", "\\\"")))
                .with("ssl.keystore.type", "PEM")
                .with("ssl.keystore.location", server)
                .with("ssl.truststore.type", "PEM")
                .with("ssl.truststore.location", authority.caFile().toString())
                .with("listener.name.mutual.ssl.client.auth", "required")
                .with("listener.name.expired.ssl.keystore.type", "PEM")
                .with(
                        "listener.name.expired.ssl.keystore.location",
                        authority.serverFile("expired").toString());
        var secured = new SecuredBroker(EmbeddedBroker.start(settings), ports);
        secured.setPassword(password);
        return secured;
    }

    /** Sets the password of SCRAM. */
    void setPassword(String password) throws InterruptedException {
        var credentials = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
        try (Admin admin = Admin.create(plain().properties())) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(USER, credentials, password)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The connection without TLS. */
    KafkaConnection plain() {
        return KafkaConnection.plain(broker.bootstrap());
    }

    String sasl() {
        return "127.0.0.1:" + ports.get(0);
    }

    String mutual() {
        return "127.0.0.1:" + ports.get(1);
    }

    String expired() {
        return "127.0.0.1:" + ports.get(2);
    }

    @Override
    public void close() {
        broker.close();
    }
}
