package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.broker.BrokerSettings;
import dev.claimstream.kafka.broker.BrokerSettings.BrokerListener;
import dev.claimstream.kafka.broker.EmbeddedBroker;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.KafkaSecurity;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.kafka.security.SaslCredentials;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.kafka.security.TlsFiles;
import dev.claimstream.systemtests.process.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;

/**
 * A broker with listeners for SASL_SSL and for SSL with client certificates, whose authorizer allows what the table of
 * permissions contains. The listener without TLS, which only the test uses, is the administrator.
 */
final class AuthorizedBroker implements AutoCloseable {
    static final String PREFIX = "claimstream-";

    private final Path folder;
    private final TestAuthority authority;
    private final Path caFile;
    private final EmbeddedBroker broker;
    private final List<Integer> ports;
    private final Admin admin;

    private AuthorizedBroker(
            Path folder, TestAuthority authority, Path caFile, EmbeddedBroker broker, List<Integer> ports) {
        this.folder = folder;
        this.authority = authority;
        this.caFile = caFile;
        this.broker = broker;
        this.ports = ports;
        admin = Admin.create(administrator().properties());
    }

    /** Starts a broker with users, permissions and quotas of all principals. */
    static AuthorizedBroker start(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        return start(folder, settings -> settings);
    }

    /** @param change further settings of the broker */
    static AuthorizedBroker start(Path folder, UnaryOperator<BrokerSettings> change)
            throws IOException, GeneralSecurityException, InterruptedException {
        TestAuthority authority = TestAuthority.in(folder.resolve("authority"));
        authority.sign("server");
        Path caFile = authority.caFile();
        List<Integer> ports = FreePorts.of(2);
        var settings = BrokerSettings.in(folder.resolve("broker"))
                .with(new BrokerListener("SASL", "SASL_SSL", ports.get(0)))
                .with(new BrokerListener("MUTUAL", "SSL", ports.get(1)))
                .with("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer")
                .with("allow.everyone.if.no.acl.found", "false")
                .with("super.users", "User:ANONYMOUS")
                .with("sasl.enabled.mechanisms", "SCRAM-SHA-512")
                .with(
                        "listener.name.sasl.scram-sha-512.sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;")
                .with("ssl.keystore.type", "PEM")
                .with("ssl.keystore.location", authority.serverFile("server").toString())
                .with("ssl.truststore.type", "PEM")
                .with("ssl.truststore.location", caFile.toString())
                .with("ssl.allow.dn.changes", "true") // the renewed certificate is recognized by its name
                .with("ssl.principal.mapping.rules", "RULE:^CN=(.*?)$/$1/")
                .with("listener.name.mutual.ssl.client.auth", "required");
        var started =
                new AuthorizedBroker(folder, authority, caFile, EmbeddedBroker.start(change.apply(settings)), ports);
        started.createUsers();
        return started;
    }

    private void createUsers() throws InterruptedException {
        Collection<KafkaPrincipal> principals = PrincipalTable.shipped().all();
        List<UserScramCredentialAlteration> users = new ArrayList<>();
        List<ClientQuotaAlteration> quotas = new ArrayList<>();
        List<AclBinding> acls = new ArrayList<>();
        for (KafkaPrincipal each : principals) {
            users.add(user(each.name(), password(each.name())));
            each.permissions().forEach(permission -> acls.addAll(permission.bindings(user(each.name()))));
            quotas.add(new ClientQuotaAlteration(
                    new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, PREFIX + each.name())),
                    each.quotas().entrySet().stream()
                            .map(quota -> new ClientQuotaAlteration.Op(
                                    quota.getKey(), quota.getValue().doubleValue()))
                            .toList()));
        }
        await(admin.alterUserScramCredentials(users).all());
        await(admin.createAcls(acls).all());
        await(admin.alterClientQuotas(quotas).all());
    }

    /** Sets or removes a quota of a principal. */
    void setQuota(String principal, String name, Optional<Double> value) throws InterruptedException {
        var entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, PREFIX + principal));
        var change = new ClientQuotaAlteration.Op(name, value.orElse(null));
        await(admin.alterClientQuotas(List.of(new ClientQuotaAlteration(entity, List.of(change))))
                .all());
    }

    /** Kafka's principal of a principal of the table. */
    static String user(String principal) {
        return "User:" + PREFIX + principal;
    }

    private static UserScramCredentialAlteration user(String principal, String password) {
        var credentials = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096);
        return new UserScramCredentialUpsertion(PREFIX + principal, credentials, password);
    }

    private static String password(String principal) {
        return "password of " + principal;
    }

    /** Changes a password in Kafka, but not in the file of the client. */
    void setPassword(String principal, String password) throws InterruptedException {
        await(admin.alterUserScramCredentials(List.of(user(principal, password)))
                .all());
    }

    /** The file with the password that clients of a principal send. */
    Path passwordFile(String principal) {
        return folder.resolve(principal + ".password");
    }

    /** The connection of a principal with SCRAM. */
    KafkaConnection connection(String principal) throws IOException {
        Path password = passwordFile(principal);
        if (Files.notExists(password)) {
            Files.writeString(password, password(principal));
        }
        var credentials =
                new SaslCredentials.UserPassword("SCRAM-SHA-512", PREFIX + principal, new SecretFile(password));
        return connection(credentials, ports.get(0));
    }

    /** A connection to a listener with SASL and TLS. */
    KafkaConnection connection(SaslCredentials credentials, int port) throws IOException {
        var tls = new TlsFiles(Optional.of(caFile), Optional.empty());
        return new KafkaSecurity(true, tls, Optional.of(credentials)).connection("127.0.0.1:" + port);
    }

    /** The address of the listener for SCRAM. */
    String saslBootstrap() {
        return "127.0.0.1:" + ports.get(0);
    }

    /** The authority that signed the certificate of the broker. */
    TestAuthority authority() {
        return authority;
    }

    /** The file of that authority. */
    Path caFile() {
        return caFile;
    }

    /** The connection of a principal with a client certificate. */
    KafkaConnection certificateConnection(String principal)
            throws IOException, GeneralSecurityException, InterruptedException {
        String name = PREFIX + principal;
        authority.sign(name);
        return certificateConnection(
                new TlsFiles.ClientIdentity(authority.certificateFile(name), authority.keyFile(name)));
    }

    private KafkaConnection certificateConnection(TlsFiles.ClientIdentity identity) throws IOException {
        var tls = new TlsFiles(Optional.of(caFile), Optional.of(identity));
        return new KafkaSecurity(true, tls, Optional.empty()).connection("127.0.0.1:" + ports.get(1));
    }

    /** Replaces the client certificate of a principal in its files. Returns its connection. */
    KafkaConnection renewClientCertificate(String principal)
            throws IOException, GeneralSecurityException, InterruptedException {
        return certificateConnection(authority.renew(PREFIX + principal));
    }

    /** Signs a new certificate for the brokers, and lets the listeners use it, as an administrator does. */
    void renewServerCertificate(String name) throws IOException, GeneralSecurityException, InterruptedException {
        authority.sign(name);
        String file = authority.serverFile(name).toString();
        List<AlterConfigOp> changes = List.of("sasl", "mutual").stream()
                .map(listener -> new AlterConfigOp(
                        new ConfigEntry("listener.name.%s.ssl.keystore.location".formatted(listener), file),
                        AlterConfigOp.OpType.SET))
                .toList();
        await(admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.BROKER, "1"), changes))
                .all());
    }

    /** The subject of the certificate that a new connection gets. */
    String serverName() {
        try {
            KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
            trusted.load(null, null);
            trusted.setCertificateEntry("ca", authority.keys().getCertificate("ca"));
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            try (var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", ports.get(0))) {
                socket.startHandshake();
                return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
                        .getSubjectX500Principal()
                        .getName();
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The connection of the administrator, without TLS. */
    KafkaConnection administrator() {
        return KafkaConnection.plain(broker.bootstrap());
    }

    void allow(Collection<AclBinding> acls) throws InterruptedException {
        await(admin.createAcls(acls).all());
    }

    void remove(Collection<AclBinding> acls) throws InterruptedException {
        await(admin.deleteAcls(acls.stream().map(AclBinding::toFilter).toList()).all());
    }

    private static <T> T await(KafkaFuture<T> asked) throws InterruptedException {
        try {
            return asked.get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        admin.close();
        broker.close();
    }
}
