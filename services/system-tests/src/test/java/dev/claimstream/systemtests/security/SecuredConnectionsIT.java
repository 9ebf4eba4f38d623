package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.LedgerChain;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.StreamSettings;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.security.PemSslEngineFactory;
import dev.claimstream.process.Connections;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.ItemIdRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.PendingDecision;
import dev.claimstream.schemas.TickRecord;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SigningKeyFiles;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.value.MapPropertyResolver;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.avro.Schema;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests connections with TLS, SASL and credentials of the registry, and the messages about what is wrong with them. */
@Timeout(120)
final class SecuredConnectionsIT {
    /** The key of the records of cell 0. */
    private static final byte[] CELL = "0".getBytes(StandardCharsets.UTF_8);

    private static final String PASSWORD = "hunter2 \"quoted\"";
    private static final String TOKEN = "token-of-the-registry";
    private static final String MAIN = "dev.claimstream.cli.Main";
    private static final Path KEPT_ARCHIVE =
            Path.of("..", "..", "platform", "audit").resolve("src/test/resources/archive-1.0.0");

    @TempDir
    private static Path shared = Path.of("");

    @TempDir
    private Path folder = Path.of("");

    private static TestAuthority authority;
    private static TestAuthority other;
    private static SecuredBroker broker;
    private static EmbeddedRegistry schemas;
    private static RegistryServer plainRegistry;
    private static SecuredRegistry registry;

    @BeforeAll
    static void start() throws Exception {
        authority = TestAuthority.in(shared.resolve("authority"));
        authority.sign("server");
        authority.sign("client");
        authority.signExpired("expired");
        other = TestAuthority.in(shared.resolve("other"));
        broker = SecuredBroker.start(shared.resolve("broker"), authority, PASSWORD);
        TopicSetup.createMissing(broker.plain(), Topics.shipped(), Duration.ofSeconds(30));
        schemas = EmbeddedRegistry.open(broker.plain());
        plainRegistry = schemas.serve(0);
        String user = Base64.getEncoder()
                .encodeToString((SecuredBroker.USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
        var keys = TestAuthority.in(shared.resolve("registry"));
        keys.sign("server");
        registry =
                SecuredRegistry.start(keys, plainRegistry.url(), Set.of("Basic " + user, "Bearer " + TOKEN), Set.of());
    }

    @AfterAll
    static void stop() {
        registry.close();
        plainRegistry.close();
        schemas.close();
        broker.close();
    }

    private static Connections connections(Map<String, Object> settings) {
        return new Connections(new MapPropertyResolver(settings, ConversionService.SHARED));
    }

    private Path file(String name, String content) throws IOException {
        return Files.writeString(folder.resolve(name), content);
    }

    private Map<String, Object> scram(String password) throws Exception {
        return new TreeMap<>(Map.of(
                "claimstream.kafka.security.protocol",
                "SASL_SSL",
                "claimstream.kafka.tls.ca-file",
                authority.caFile().toString(),
                "claimstream.kafka.sasl.mechanism",
                "SCRAM-SHA-512",
                "claimstream.kafka.sasl.username",
                SecuredBroker.USER,
                "claimstream.kafka.sasl.password-file",
                file("password", password + "\n").toString()));
    }

    private Map<String, Object> mutual(String client) throws Exception {
        return new TreeMap<>(Map.of(
                "claimstream.kafka.security.protocol", "SSL",
                "claimstream.kafka.tls.ca-file", authority.caFile().toString(),
                "claimstream.kafka.tls.certificate-file",
                        authority.certificateFile(client).toString(),
                "claimstream.kafka.tls.key-file", authority.keyFile(client).toString()));
    }

    private static List<String> problems(Map<String, Object> settings, String bootstrap) {
        var connections = connections(settings);
        try {
            return connections.problem(connections.kafka(bootstrap)).stream().toList();
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
    }

    @Test
    void everyClientConnectsWithScram() throws Exception {
        KafkaConnection kafka = connections(scram(PASSWORD)).kafka(broker.sasl());
        assertThat(kafka.toString()).doesNotContain("hunter2");
        assertThat(kafka.security().toString()).doesNotContain("hunter2");
        assertThat(TopicSetup.missing(kafka, Topics.shipped(), Duration.ofSeconds(20)))
                .isEmpty();
        assertThat(copiedByStream(kafka)).isEqualTo("a value");
    }

    /** Sends a record, copies it with a transactional stream, and reads the copy. */
    private String copiedByStream(KafkaConnection kafka) throws Exception {
        var builder = new StreamsBuilder();
        builder.stream(
                        Topics.CLAIMS,
                        Consumed.with(Serdes.String(), Serdes.String()).withName("in"))
                .to(
                        Topics.OUTCOMES,
                        Produced.with(Serdes.String(), Serdes.String()).withName("out"));
        Properties settings = StreamSettings.of(kafka, "copy", "copy-0", folder.resolve("state"), Duration.ofMillis(5))
                .properties();
        settings.put("main.consumer.auto.offset.reset", "earliest"); // the group has no committed offset
        try (var producer = new KafkaProducer<>(
                        ProducerSettings.of(kafka, "producer").properties(),
                        new StringSerializer(),
                        new StringSerializer());
                var streams = new KafkaStreams(builder.build(), settings);
                var consumer = new KafkaConsumer<>(
                        ConsumerSettings.of(kafka, "consumer")
                                .inGroup("copy-reader")
                                .properties(),
                        new StringDeserializer(),
                        new StringDeserializer())) {
            producer.send(new ProducerRecord<>(Topics.CLAIMS, "ResourceClaim/team/a", "a value"))
                    .get(30, TimeUnit.SECONDS);
            streams.start();
            consumer.subscribe(List.of(Topics.OUTCOMES));
            for (int i = 0; i < 60; i++) {
                var records = consumer.poll(Duration.ofSeconds(1));
                if (!records.isEmpty()) {
                    return records.iterator().next().value();
                }
            }
            return "nothing";
        }
    }

    @Test
    void connectsWithPlainAndWithClientCertificate() throws Exception {
        Map<String, Object> plain = scram(PASSWORD);
        plain.put("claimstream.kafka.sasl.mechanism", "PLAIN");
        assertThat(problems(plain, broker.sasl())).isEmpty();
        assertThat(problems(mutual("client"), broker.mutual())).isEmpty();
        KafkaConnection kafka = connections(mutual("client")).kafka(broker.mutual());
        assertThat(TopicSetup.missing(kafka, Topics.shipped(), Duration.ofSeconds(20)))
                .isEmpty();
    }

    @Test
    void readsChangedPasswordAtNextConnection() throws Exception {
        Map<String, Object> settings = scram("wrong");
        KafkaConnection kafka = connections(settings).kafka(broker.sasl());
        assertThat(connections(settings).problem(kafka)).isPresent();
        file("password", PASSWORD);
        assertThat(connections(settings).problem(kafka)).isEmpty();
    }

    @Test
    void readsChangedAuthorityAtNextConnection() throws Exception {
        Map<String, Object> settings = scram(PASSWORD);
        Path ca = file("ca.pem", Files.readString(other.caFile()));
        settings.put("claimstream.kafka.tls.ca-file", ca.toString());
        KafkaConnection kafka = connections(settings).kafka(broker.sasl());
        Map<String, Object> configs = new HashMap<>(new AdminClientConfig(kafka.properties()).values());
        configs.putAll(kafka.security());
        try (var engines = new PemSslEngineFactory()) {
            engines.configure(configs);
            assertThat(subject(engines)).isEqualTo("CN=other");
            file("ca.pem", Files.readString(authority.caFile()));
            assertThat(subject(engines)).isEqualTo("CN=authority");
            file("ca.pem", "half of a renewal");
            assertThat(subject(engines)).isEqualTo("CN=authority");
        }
    }

    private static String subject(PemSslEngineFactory engines) throws Exception {
        KeyStore trusted = engines.truststore();
        var certificate =
                (X509Certificate) trusted.getCertificate(trusted.aliases().nextElement());
        return certificate.getSubjectX500Principal().getName();
    }

    @Test
    void namesSettingOfRejectedPassword() throws Exception {
        assertThat(problems(scram("wrong"), broker.sasl()))
                .containsExactly(
                        "claimstream.kafka.sasl.username and claimstream.kafka.sasl.password-file: Kafka (%s) rejects the"
                                        .formatted(broker.sasl())
                                + " credentials: set them to a user of this Kafka and its password");
    }

    @Test
    void namesSettingOfOtherAuthority() throws Exception {
        Map<String, Object> settings = scram(PASSWORD);
        settings.put("claimstream.kafka.tls.ca-file", other.caFile().toString());
        assertThat(problems(settings, broker.sasl()))
                .singleElement()
                .asString()
                .startsWith(
                        "claimstream.kafka.tls.ca-file: Kafka (%s) has a certificate that no trusted authority has signed: "
                                .formatted(broker.sasl()));
    }

    @Test
    void namesExpiredCertificates() throws Exception {
        assertThat(problems(mutual("client"), broker.expired()))
                .containsExactly(
                        "claimstream.kafka.bootstrap: Kafka (%s) has an expired certificate: renew the certificate of the broker"
                                .formatted(broker.expired()));
        assertThat(problems(mutual("expired"), broker.mutual()))
                .singleElement()
                .asString()
                .startsWith("claimstream.kafka.tls.certificate-file is '")
                .contains("which has a certificate that is not valid now", ": renew it");
    }

    /** The broker has no OAuth listener: the token is fetched, and the mechanism is rejected. */
    @Test
    void fetchesTokenWithSecretOfFile() throws Exception {
        String client = Base64.getEncoder().encodeToString("agent:s3cret".getBytes(StandardCharsets.UTF_8));
        var endpoint = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        endpoint.createContext("/token", exchange -> {
            boolean isKnown =
                    ("Basic " + client).equals(exchange.getRequestHeaders().getFirst("Authorization"));
            byte[] answer = "{\"access_token\":\"%s\"}".formatted(token()).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(isKnown ? 200 : 401, isKnown ? answer.length : -1);
            if (isKnown) {
                exchange.getResponseBody().write(answer);
            }
            exchange.close();
        });
        endpoint.start();
        try {
            Map<String, Object> settings = new TreeMap<>(Map.of(
                    "claimstream.kafka.security.protocol",
                    "SASL_SSL",
                    "claimstream.kafka.tls.ca-file",
                    authority.caFile().toString(),
                    "claimstream.kafka.sasl.mechanism",
                    "OAUTHBEARER",
                    "claimstream.kafka.sasl.oauth.token-endpoint",
                    "http://127.0.0.1:%d/token".formatted(endpoint.getAddress().getPort()),
                    "claimstream.kafka.sasl.oauth.client-id",
                    "agent",
                    "claimstream.kafka.sasl.oauth.client-secret-file",
                    file("secret", "s3cret").toString()));
            assertThat(connections(settings).kafka(broker.sasl()).toString()).doesNotContain("s3cret");
            assertThat(problems(settings, broker.sasl()))
                    .containsExactly(
                            "claimstream.kafka.sasl.mechanism: Kafka (%s) does not offer this SASL mechanism: set it to a"
                                            .formatted(broker.sasl())
                                    + " mechanism of this listener");
            file("secret", "wrong");
            assertThat(problems(settings, broker.sasl()))
                    .singleElement()
                    .asString()
                    .startsWith("claimstream.kafka.sasl.oauth.token-endpoint, claimstream.kafka.sasl.oauth.client-id, ")
                    .contains("because the token endpoint issues no token")
                    .doesNotContain("wrong");
        } finally {
            endpoint.stop(0);
        }
    }

    private static String token() {
        long now = System.currentTimeMillis() / 1000;
        String claims = "{\"sub\":\"agent\",\"scope\":\"kafka\",\"iat\":%d,\"exp\":%d}".formatted(now, now + 600);
        var encoder = Base64.getUrlEncoder().withoutPadding();
        return "%s.%s.%s"
                .formatted(
                        encoder.encodeToString("{\"alg\":\"HS256\"}".getBytes(StandardCharsets.UTF_8)),
                        encoder.encodeToString(claims.getBytes(StandardCharsets.UTF_8)),
                        encoder.encodeToString("signature".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void namesMissingFilesAndSettings() throws Exception {
        Map<String, Object> settings = scram(PASSWORD);
        settings.put("claimstream.kafka.tls.ca-file", folder.resolve("none.pem").toString());
        settings.put(
                "claimstream.kafka.tls.key-file",
                file("key.pem", "-----BEGIN RSA PRIVATE KEY-----").toString());
        settings.remove("claimstream.kafka.sasl.username");
        settings.put("claimstream.kafka.sasl.password-file", file("empty", "").toString());
        assertThat(problems(settings, broker.sasl()))
                .containsExactly(
                        "claimstream.kafka.tls.ca-file is '%s', which does not exist: name an existing file, or mount it there"
                                .formatted(folder.resolve("none.pem")),
                        "claimstream.kafka.tls.certificate-file is not set, but claimstream.kafka.tls.key-file is: set it, or"
                                + " CLAIMSTREAM_KAFKA_TLS_CERTIFICATE_FILE",
                        "claimstream.kafka.tls.key-file is '%s', which is not an unencrypted PKCS#8 key: convert it with 'openssl pkcs8 -topk8 -nocrypt'"
                                .formatted(folder.resolve("key.pem")),
                        "claimstream.kafka.sasl.username is not set, but claimstream.kafka.sasl.mechanism is SCRAM-SHA-512: set it, or"
                                + " CLAIMSTREAM_KAFKA_SASL_USERNAME",
                        "claimstream.kafka.sasl.password-file is '%s', which is empty, has more than one line, or cannot be read: name a readable file with the secret"
                                .formatted(folder.resolve("empty")));
    }

    @Test
    void rejectsSettingsThatTheProtocolIgnores() throws Exception {
        Map<String, Object> settings = scram(PASSWORD);
        settings.remove("claimstream.kafka.security.protocol");
        assertThat(problems(settings, broker.sasl()))
                .hasSize(4)
                .contains(
                        "claimstream.kafka.sasl.mechanism is set, but claimstream.kafka.security.protocol is PLAINTEXT: set it to"
                                + " SASL_PLAINTEXT or SASL_SSL, or remove the setting");
    }

    private Map<String, Object> registryUser(String password) throws Exception {
        return new TreeMap<>(Map.of(
                "claimstream.registry.ca-file",
                shared.resolve("registry").resolve("ca.pem").toString(),
                "claimstream.registry.username",
                SecuredBroker.USER,
                "claimstream.registry.password-file",
                file("registry-password", password).toString()));
    }

    private static List<String> registryProblems(Map<String, Object> settings) {
        var connections = connections(settings);
        try (var client = new RestRegistry(connections.registry(registry.url()))) {
            return connections.problem(client, registry.url()).stream().toList();
        } catch (InvalidSettingsException e) {
            return e.problems();
        }
    }

    @Test
    void registersSchemaWithUserAndWithToken() throws Exception {
        TestAuthority.of(shared.resolve("registry")).caFile();
        Map<String, Object> token = new TreeMap<>(Map.of(
                "claimstream.registry.ca-file",
                shared.resolve("registry").resolve("ca.pem").toString(),
                "claimstream.registry.token-file",
                file("token", TOKEN).toString()));
        for (Map<String, Object> settings : List.of(registryUser(PASSWORD), token)) {
            assertThat(registryProblems(settings)).isEmpty();
            try (var client = new RestRegistry(connections(settings).registry(registry.url()))) {
                Schema schema = Schema.create(Schema.Type.STRING);
                assertThat(client.byId(client.register("test-value", schema))).isEqualTo(schema);
            }
        }
    }

    @Test
    void namesSettingsOfRegistry() throws Exception {
        TestAuthority.of(shared.resolve("registry")).caFile();
        assertThat(registryProblems(registryUser("wrong")))
                .containsExactly(
                        "claimstream.registry.username and claimstream.registry.password-file: the schema registry (%s)"
                                        .formatted(registry.url())
                                + " rejects the credentials: set the credentials of a user of this registry");
        Map<String, Object> settings = registryUser(PASSWORD);
        settings.put("claimstream.registry.ca-file", other.caFile().toString());
        assertThat(registryProblems(settings))
                .singleElement()
                .asString()
                .startsWith(
                        "claimstream.registry.ca-file: the schema registry (%s) has a certificate that no trusted authority"
                                .formatted(registry.url()));
        settings.put("claimstream.registry.token-file", folder.resolve("none").toString());
        assertThatExceptionOfType(InvalidSettingsException.class)
                .isThrownBy(() -> connections(settings).registry(registry.url()))
                .withMessageContaining(
                        "claimstream.registry.token-file is '%s', which does not exist", folder.resolve("none"))
                .withMessageContaining("remove one of them");
    }

    /** The settings as the variables that the chart gives to its pods. */
    private Map<String, String> variables() throws Exception {
        TestAuthority.of(shared.resolve("registry")).caFile();
        Map<String, Object> settings = scram(PASSWORD);
        settings.putAll(registryUser(PASSWORD));
        settings.put("claimstream.kafka.bootstrap", broker.sasl());
        settings.put("claimstream.registry.url", registry.url().toString());
        Map<String, String> variables = new TreeMap<>();
        settings.forEach((name, value) ->
                variables.put(name.replace('.', '_').replace('-', '_').toUpperCase(Locale.ROOT), value.toString()));
        return variables;
    }

    /** Writes the log of an archive, with the schema ids of this registry; the other bytes stay. Returns the last event. */
    private static LedgerEvent sendKeptLog(KafkaProducer<byte[], byte[]> producer) throws Exception {
        try (var archived = new ArchiveLog(KEPT_ARCHIVE)) {
            List<byte[]> values = new ArrayList<>();
            for (String topic : List.of(LogVerifier.INPUTS, LogVerifier.LEDGER)) {
                values.clear();
                archived.forEach(topic, 0, 0, archived.end(topic, 0), record -> {
                    byte[] value = record.value().orElseThrow();
                    Schema schema =
                            archived.schema(ByteBuffer.wrap(value).getInt(1)).orElseThrow();
                    values.add(ByteBuffer.wrap(value)
                            .putInt(1, schemas.register(topic + "-value", schema))
                            .array());
                    return true;
                });
                for (byte[] value : values) {
                    producer.send(new ProducerRecord<>(topic, 0, CELL, value)).get(30, TimeUnit.SECONDS);
                }
            }
            return switch (AvroSerde.of(LedgerEvent.class, schemas).read(LogVerifier.LEDGER, values.getLast())) {
                case DecodeResult.Value<LedgerEvent>(LedgerEvent event) -> event;
                default -> throw new IllegalStateException("no event");
            };
        }
    }

    /** Writes a tick, and an event of it that no cell makes: claim team/forged is pending. The chain is valid. */
    private static void sendForgedEvent(KafkaProducer<byte[], byte[]> producer, LedgerEvent last) throws Exception {
        Instant at = last.getAt().plusSeconds(60);
        byte[] tick = AvroSerde.of(CellInputRecord.class, schemas)
                .write(
                        LogVerifier.INPUTS,
                        CellInputRecord.newBuilder()
                                .setAt(at)
                                .setTick(new TickRecord())
                                .build());
        long offset = producer.send(new ProducerRecord<>(LogVerifier.INPUTS, 0, CELL, tick))
                .get(30, TimeUnit.SECONDS)
                .offset();
        var decision = DecisionRecord.newBuilder()
                .setCell(0)
                .setNumber(offset)
                .setAt(at)
                .setClaimUid("uid-forged")
                .setNamespace("team")
                .setName("forged")
                .setItem(new ItemIdRecord("claim", "team", "forged"))
                .setPending(new PendingDecision("InsufficientDevices", "requested 2, free 1"))
                .build();
        LedgerEvent event = new LedgerChain(0, last.getHash()).decision(offset, at, "pending", decision, "engine");
        byte[] value = AvroSerde.of(LedgerEvent.class, schemas).write(LogVerifier.LEDGER, event);
        producer.send(new ProducerRecord<>(LogVerifier.LEDGER, 0, CELL, value)).get(30, TimeUnit.SECONDS);
    }

    /** The command of the chart's CronJob, and a shadow as a process of its own. The shadow finds a forged event. */
    @Test
    @Tag("part-0")
    void checkpointAndShadowConnectWithScram(TestReporter reporter) throws Exception {
        var producer = new KafkaProducer<>(
                ProducerSettings.of(broker.plain(), "recorded-log").properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer());
        try (producer) {
            assertCheckpointAndShadow(producer, sendKeptLog(producer), reporter);
        }
    }

    private void assertCheckpointAndShadow(
            KafkaProducer<byte[], byte[]> producer, LedgerEvent last, TestReporter reporter) throws Exception {
        var keys = SigningKeyFiles.create(folder, "key");
        Path anchor = folder.resolve("anchor");
        Map<String, String> logged = variables();
        Path reads = folder.resolve("reads.log");
        logged.put("CLAIMSTREAM_READ_LOG", reads.toString());
        try (Program checkpoint = Program.start(
                folder,
                logged,
                MAIN,
                "audit",
                "checkpoint",
                "--bootstrap=" + broker.sasl(),
                "--key=" + keys.privateKey(),
                "--publish=" + anchor)) {
            assertThat(checkpoint.awaitEnd()).as(checkpoint.err()).isZero();
            assertThat(anchor.resolve("checkpoints")).isNotEmptyDirectory();
            assertThat(Files.readString(reads)).contains("\"command\":\"claimstream audit checkpoint\"");
        }
        Map<String, String> variables = variables();
        int port = FreePorts.of(1).getFirst();
        variables.put("CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(port));
        try (Program shadow = Program.start(folder, variables, MAIN, "service", "shadow")) {
            Program.await(() -> health(port).matches("(?s).*[1-9][0-9]* inputs decided alike.*"), "the shadow");
            sendForgedEvent(producer, last);
            Instant begin = Instant.now();
            FastPoll.until("the divergence", () -> health(port).contains("divergence: cell 0"));
            var latency = Duration.between(begin, Instant.now());
            reporter.publishEntry("milliseconds until the shadow reported a forged event", "" + latency.toMillis());
            assertThat(health(port)).contains("claim team/forged");
            shadow.interrupt();
            assertThat(shadow.awaitEnd()).as(shadow.err()).isZero();
        }
    }

    private static String health(int port) {
        try {
            var connection = URI.create("http://127.0.0.1:%d/health".formatted(port))
                    .toURL()
                    .openConnection();
            try (var in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            return e.toString();
        }
    }
}
