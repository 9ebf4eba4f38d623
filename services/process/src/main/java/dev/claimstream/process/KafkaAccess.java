package dev.claimstream.process;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.security.AccessFault;
import dev.claimstream.kafka.security.KafkaSecurity;
import dev.claimstream.kafka.security.PemFiles;
import dev.claimstream.kafka.security.SaslCredentials;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.kafka.security.TlsFiles;
import dev.claimstream.process.settings.InvalidSettingsException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads encryption and authentication of Kafka from the settings, and names the setting behind a fault. */
final class KafkaAccess {
    private static final String PROTOCOL = "claimstream.kafka.security.protocol";
    private static final String CA_FILE = "claimstream.kafka.tls.ca-file";
    private static final String CERTIFICATE_FILE = "claimstream.kafka.tls.certificate-file";
    private static final String KEY_FILE = "claimstream.kafka.tls.key-file";
    private static final String MECHANISM = "claimstream.kafka.sasl.mechanism";
    private static final String USERNAME = "claimstream.kafka.sasl.username";
    private static final String PASSWORD_FILE = "claimstream.kafka.sasl.password-file";
    private static final String TOKEN_ENDPOINT = "claimstream.kafka.sasl.oauth.token-endpoint";
    private static final String CLIENT_ID = "claimstream.kafka.sasl.oauth.client-id";
    private static final String CLIENT_SECRET_FILE = "claimstream.kafka.sasl.oauth.client-secret-file";
    private static final String SCOPE = "claimstream.kafka.sasl.oauth.scope";

    private static final List<String> OF_TLS = List.of(CA_FILE, CERTIFICATE_FILE, KEY_FILE);
    private static final List<String> OF_SASL =
            List.of(MECHANISM, USERNAME, PASSWORD_FILE, TOKEN_ENDPOINT, CLIENT_ID, CLIENT_SECRET_FILE, SCOPE);
    private static final String OAUTH = "OAUTHBEARER";

    private final ConnectionReader reader;

    KafkaAccess(ConnectionReader reader) {
        this.reader = reader;
    }

    /**
     * The connection to these brokers with the configured security.
     *
     * @throws InvalidSettingsException with all problems that the reader has found so far
     */
    KafkaConnection connection(String bootstrap) {
        KafkaSecurity security = security();
        reader.throwProblems();
        try {
            return security.connection(bootstrap);
        } catch (IOException e) {
            throw new InvalidSettingsException(List.of(
                    "%s cannot be read (%s): name a readable file".formatted(CLIENT_SECRET_FILE, e.getMessage())));
        }
    }

    private KafkaSecurity security() {
        String protocol = reader.text(PROTOCOL).orElse("PLAINTEXT");
        boolean isEncrypted = protocol.endsWith("SSL");
        boolean isSasl = protocol.startsWith("SASL_");
        if (!isEncrypted) {
            rejectUnused(OF_TLS, protocol, isSasl ? "SASL_SSL" : "SSL");
        }
        if (!isSasl) {
            rejectUnused(OF_SASL, protocol, isEncrypted ? "SASL_SSL" : "SASL_PLAINTEXT or SASL_SSL");
        }
        return new KafkaSecurity(
                isEncrypted, isEncrypted ? tls() : TlsFiles.NONE, isSasl ? sasl(protocol) : Optional.empty());
    }

    private void rejectUnused(List<String> names, String protocol, String other) {
        names.stream()
                .filter(name -> reader.text(name).isPresent())
                .forEach(name -> reader.problem("%s is set, but %s is %s: set it to %s, or remove the setting"
                        .formatted(name, PROTOCOL, protocol, other)));
    }

    private TlsFiles tls() {
        Optional<Path> ca = reader.file(CA_FILE, PemFiles::authorityProblem);
        if (reader.text(CERTIFICATE_FILE).isEmpty() && reader.text(KEY_FILE).isEmpty()) {
            return new TlsFiles(ca, Optional.empty());
        }
        Optional<Path> certificate =
                reader.requiredFile(CERTIFICATE_FILE, KEY_FILE + " is", PemFiles::certificateProblem);
        Optional<Path> key = reader.requiredFile(KEY_FILE, CERTIFICATE_FILE + " is", PemFiles::keyProblem);
        return new TlsFiles(
                ca, certificate.flatMap(chain -> key.map(each -> new TlsFiles.ClientIdentity(chain, each))));
    }

    private Optional<SaslCredentials> sasl(String protocol) {
        return reader.required(MECHANISM, "%s is %s".formatted(PROTOCOL, protocol))
                .flatMap(mechanism -> mechanism.equals(OAUTH) ? oauth() : password(mechanism));
    }

    private Optional<SaslCredentials> password(String mechanism) {
        String because = "%s is %s".formatted(MECHANISM, mechanism);
        Optional<String> username = reader.required(USERNAME, because);
        Optional<SecretFile> password = secret(PASSWORD_FILE, because);
        return username.flatMap(name -> password.map(each -> new SaslCredentials.UserPassword(mechanism, name, each)));
    }

    private Optional<SaslCredentials> oauth() {
        String because = "%s is %s".formatted(MECHANISM, OAUTH);
        Optional<String> endpoint = reader.required(TOKEN_ENDPOINT, because);
        Optional<String> id = reader.required(CLIENT_ID, because);
        Optional<SecretFile> secret = secret(CLIENT_SECRET_FILE, because);
        return endpoint.flatMap(address -> id.flatMap(name -> secret.map(
                each -> new SaslCredentials.OAuthClient(URI.create(address), name, each, reader.text(SCOPE)))));
    }

    private Optional<SecretFile> secret(String name, String because) {
        return reader.requiredFile(name, because, SecretFile::problem).map(SecretFile::new);
    }

    /** One line about a fault: the setting, what Kafka does, and the remedy. */
    String problem(AccessFault fault, String bootstrap) {
        boolean isOAuth = reader.text(MECHANISM).filter(OAUTH::equals).isPresent();
        return switch (fault) {
            case CREDENTIALS_REJECTED ->
                line(
                        isOAuth ? CLIENT_ID + " and " + CLIENT_SECRET_FILE : USERNAME + " and " + PASSWORD_FILE,
                        fault,
                        bootstrap,
                        "set them to a user of this Kafka and its password");
            case OTHER_MECHANISM -> line(MECHANISM, fault, bootstrap, "set it to a mechanism of this listener");
            case NO_TOKEN ->
                line(
                        Stream.of(TOKEN_ENDPOINT, CLIENT_ID, CLIENT_SECRET_FILE)
                                .reduce((a, b) -> a + ", " + b)
                                .orElseThrow(),
                        fault,
                        bootstrap,
                        "check the endpoint, the client and its secret");
            case UNTRUSTED_SERVER ->
                line(
                        CA_FILE,
                        fault,
                        bootstrap,
                        "set it to the PEM file of the authority that signed the broker's certificate");
            case EXPIRED_SERVER_CERTIFICATE ->
                line("claimstream.kafka.bootstrap", fault, bootstrap, "renew the certificate of the broker");
            case OTHER_HOST ->
                line("claimstream.kafka.bootstrap", fault, bootstrap, "use a host name of the broker's certificate");
            case CLIENT_CERTIFICATE_REJECTED ->
                line(
                        CERTIFICATE_FILE + " and " + KEY_FILE,
                        fault,
                        bootstrap,
                        "set them to a certificate that the brokers trust, and its key");
            case HANDSHAKE_FAILED -> line(PROTOCOL, fault, bootstrap, "check that this port expects TLS");
        };
    }

    private static String line(String setting, AccessFault fault, String bootstrap, String remedy) {
        return "%s: Kafka (%s) %s: %s".formatted(setting, bootstrap, fault.text(), remedy);
    }
}
