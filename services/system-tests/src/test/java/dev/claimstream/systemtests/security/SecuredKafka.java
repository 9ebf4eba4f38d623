package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/**
 * A broker with TLS, SCRAM and an authorizer, and a schema registry with TLS and tokens.
 *
 * <p>Each service has a user of its own, and only the registrar may write to the registry. The values and secrets of the chart
 * for both are here.
 */
public final class SecuredKafka implements AutoCloseable {
    private static final List<String> SERVICES =
            List.of("allocator", "watcher", "writer", "console", "archive", "topics");
    private static final String READER = "token of the services";
    private static final String REGISTRAR = "token of the registrar";

    private final Path folder;
    private final AuthorizedBroker broker;
    private final EmbeddedRegistry schemas;
    private final RegistryServer plainRegistry;
    private final SecuredRegistry registry;

    private SecuredKafka(
            Path folder,
            AuthorizedBroker broker,
            EmbeddedRegistry schemas,
            RegistryServer plainRegistry,
            SecuredRegistry registry) {
        this.folder = folder;
        this.broker = broker;
        this.schemas = schemas;
        this.plainRegistry = plainRegistry;
        this.registry = registry;
    }

    /** Starts both. The only topic is that of the registry. */
    public static SecuredKafka start(Path folder) throws IOException, GeneralSecurityException, InterruptedException {
        AuthorizedBroker broker = AuthorizedBroker.start(folder);
        createRegistryTopic(broker);
        EmbeddedRegistry schemas = EmbeddedRegistry.open(broker.administrator());
        RegistryServer plain = schemas.serve(0);
        SecuredRegistry registry = SecuredRegistry.start(
                broker.authority(), plain.url(), Set.of("Bearer " + REGISTRAR), Set.of("Bearer " + READER));
        return new SecuredKafka(folder, broker, schemas, plain, registry);
    }

    private static void createRegistryTopic(AuthorizedBroker broker) throws InterruptedException {
        try (Admin admin = Admin.create(broker.administrator().properties())) {
            var topic = new NewTopic(Topics.SCHEMAS, 1, (short) 1).configs(Map.of("cleanup.policy", "compact"));
            admin.createTopics(List.of(topic)).all().get();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Brokers for the administrator, without TLS. */
    public String administratorBootstrap() {
        return broker.administrator().bootstrap();
    }

    /** Registry for the administrator, without TLS. */
    public URI administratorRegistry() {
        return plainRegistry.url();
    }

    /** The values {@code kafka} and {@code registry} of the chart. */
    public String chartValues() {
        String credentials = SERVICES.stream()
                .map(service -> "    %1$s: {username: %2$s%1$s, secret: kafka-%1$s}%n"
                        .formatted(service, AuthorizedBroker.PREFIX))
                .collect(Collectors.joining());
        return """
                kafka:
                  bootstrapServers: "%s"
                  securityProtocol: SASL_SSL
                  tls: {caSecret: {name: kafka-ca}}
                  credentials:
                %sregistry:
                  url: "%s"
                  bearerToken: {existingSecret: registry-reader}
                  registrar: {secret: registry-registrar}
                  caSecret: {name: kafka-ca}
                """.formatted(broker.saslBootstrap(), credentials, registry.url());
    }

    /** The secrets that the values name: their names, and options of {@code kubectl create secret generic}. */
    public Map<String, List<String>> chartSecrets() throws IOException {
        Map<String, List<String>> secrets = new LinkedHashMap<>();
        secrets.put("kafka-ca", List.of("--from-file=ca.crt=" + broker.caFile()));
        for (String service : SERVICES) {
            var unused = broker.connection(service); // writes the file
            secrets.put("kafka-" + service, List.of("--from-file=password=" + broker.passwordFile(service)));
        }
        secrets.put("registry-reader", List.of("--from-file=token=" + file("reader", READER)));
        secrets.put("registry-registrar", List.of("--from-file=token=" + file("registrar", REGISTRAR)));
        return secrets;
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name + ".token"), content);
    }

    @Override
    public void close() {
        registry.close();
        plainRegistry.close();
        schemas.close();
        broker.close();
    }
}
