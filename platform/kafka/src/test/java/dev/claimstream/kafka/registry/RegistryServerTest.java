package dev.claimstream.kafka.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.claimstream.kafka.registry.RegistryException.RegistryErrorCode;
import dev.claimstream.kafka.security.RegistryLogin;
import dev.claimstream.kafka.security.SecretFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** The registry protocol of Confluent over HTTP, with valid and invalid requests. */
class RegistryServerTest {
    private static final Schema PET =
            SchemaBuilder.record("Pet").fields().requiredString("name").endRecord();
    private static final String PET_BODY = "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"Pet\\\","
            + "\\\"fields\\\":[{\\\"name\\\":\\\"name\\\",\\\"type\\\":\\\"string\\\"}]}\"}";
    private static final String OTHER_BODY = "{\"schema\":\"{\\\"type\\\":\\\"record\\\",\\\"name\\\":\\\"Pet\\\","
            + "\\\"fields\\\":[{\\\"name\\\":\\\"legs\\\",\\\"type\\\":\\\"int\\\"}]}\"}";

    private final RegistryServer server = RegistryServer.start(new SchemaCatalog(entry -> {}), 0);
    private final RestRegistry rest = new RestRegistry(RestRegistry.RegistrySettings.of(server.url()));
    private final HttpClient http = HttpClient.newHttpClient();

    @AfterEach
    void stop() {
        rest.close();
        http.close();
        server.close();
    }

    @Test
    void restClientRegistersAndReads() {
        assertThat(rest.register("a/b c-value", PET)).isEqualTo(1);
        assertThat(rest.register("a/b c-value", PET)).isEqualTo(1);
        assertThat(rest.byId(1)).isEqualTo(PET);
        assertThat(get("/subjects")).isEqualTo("200 [\"a/b c-value\"]");
    }

    @Test
    void clientThatLooksUpRegistersNothing() {
        try (var reader = new RestRegistry(rest.settings().with(RestRegistry.Registration.LOOK_UP))) {
            assertRejected(RegistryErrorCode.FAILED, () -> reader.register("pet", PET));
            assertThat(reader.currentError()).get().asString().contains("not registered under pet");
            int id = rest.register("pet", PET);
            Schema other =
                    SchemaBuilder.record("Pet").fields().requiredInt("legs").endRecord();
            assertRejected(RegistryErrorCode.FAILED, () -> reader.register("pet", other));
            assertThat(reader.register("pet", PET)).isEqualTo(id);
            assertThat(reader.currentError()).isEmpty();
        }
        assertThat(get("/subjects/pet/versions")).isEqualTo("200 [1]");
    }

    @Test
    void rejectionsHaveErrorCodes() {
        rest.register("pet", PET);
        Schema other = SchemaBuilder.record("Pet").fields().requiredInt("legs").endRecord();
        assertRejected(RegistryErrorCode.INCOMPATIBLE, () -> rest.register("pet", other));
        assertRejected(RegistryErrorCode.UNKNOWN_ID, () -> rest.byId(77));
        rest.setLevel("pet", CompatibilityLevel.NONE);
        assertThat(rest.register("pet", other)).isEqualTo(2);
    }

    @Test
    void registrationSetsLevelOfSubject() {
        put("/config", "{\"compatibility\":\"NONE\"}");
        assertThat(rest.register("pet", PET)).isEqualTo(1);
        assertThat(get("/config/pet")).isEqualTo("200 {\"compatibilityLevel\":\"FULL_TRANSITIVE\"}");
        assertThat(get("/config")).isEqualTo("200 {\"compatibilityLevel\":\"NONE\"}");
        assertThat(post("/subjects/pet/versions", OTHER_BODY)).startsWith("409 ");
    }

    /** Each level that an operator can set, {@code NONE} included. */
    @ParameterizedTest
    @EnumSource(CompatibilityLevel.class)
    void registrationKeepsLevelOfOperator(CompatibilityLevel level) {
        rest.setLevel("pet", level);
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(RestRegistry.class);
        logger.setLevel(Level.WARN); // tests log errors only
        logger.addAppender(lines);
        try {
            rest.register("pet", PET);
            rest.register("pet", PET);
        } finally {
            logger.detachAppender(lines);
            logger.setLevel(null);
        }
        assertThat(get("/config/pet")).isEqualTo("200 {\"compatibilityLevel\":\"%s\"}".formatted(level));
        assertThat(lines.list).hasSize(level == CompatibilityLevel.FULL_TRANSITIVE ? 0 : 1);
        assertThat(lines.list).allMatch(line -> line.getMessage().contains("weaker than FULL_TRANSITIVE"));
    }

    @Test
    void nextRegistrationSetsLevelAfterFailure() throws IOException {
        try (var registry = new ScriptedRegistry("", 500, "{}", 404, "{\"error_code\":40401}", 200, "{}");
                var client = new RestRegistry(RestRegistry.RegistrySettings.of(registry.url()))) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.register("pet", PET)).isEqualTo(7);
            }
            assertThat(registry.requests()).containsExactly("GET /config/pet", "GET /config/pet", "PUT /config/pet");
        }
    }

    @Test
    void replacesNoneOfApicurioWhichMeansNoLevel() throws IOException {
        String none = "{\"compatibilityLevel\":\"NONE\"}";
        try (var registry = new ScriptedRegistry("/apis/ccompat/v7", 200, none, 200, "{}");
                var client = new RestRegistry(RestRegistry.RegistrySettings.of(registry.url()))) {
            client.register("pet", PET);
            assertThat(registry.requests())
                    .containsExactly("GET /apis/ccompat/v7/config/pet", "PUT /apis/ccompat/v7/config/pet");
        }
    }

    /** A registry whose answers about compatibility levels are given in order. */
    private static final class ScriptedRegistry implements AutoCloseable {
        private final HttpServer server;
        private final String path;
        private final Queue<Object> answers;
        private final Queue<String> requests = new ConcurrentLinkedQueue<>();

        /** Answers are pairs of a status and a body. */
        ScriptedRegistry(String path, Object... answers) throws IOException {
            this.path = path;
            this.answers = new ConcurrentLinkedQueue<>(List.of(answers));
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::answer);
            server.start();
        }

        private void answer(HttpExchange exchange) throws IOException {
            String target = exchange.getRequestURI().toString();
            boolean isConfig = target.contains("/config");
            if (isConfig) {
                requests.add(exchange.getRequestMethod() + " " + target);
            }
            int status = isConfig ? (int) answers.remove() : 200;
            byte[] body = (isConfig ? (String) answers.remove() : "{\"id\":7}").getBytes(StandardCharsets.UTF_8);
            try (exchange) {
                exchange.sendResponseHeaders(status, body.length);
                exchange.getResponseBody().write(body);
            }
        }

        URI url() {
            return URI.create(
                    "http://127.0.0.1:%d%s".formatted(server.getAddress().getPort(), path));
        }

        List<String> requests() {
            return List.copyOf(requests);
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    @Test
    void registersIfLevelMayNotBeSet() throws IOException {
        var readOnly = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        readOnly.createContext("/", exchange -> {
            boolean isConfig = exchange.getRequestURI().getPath().startsWith("/config");
            byte[] body = (isConfig ? "{\"error_code\":40301}" : "{\"id\":7}").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(isConfig ? 403 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        readOnly.start();
        URI url = URI.create("http://127.0.0.1:" + readOnly.getAddress().getPort());
        try (var client = new RestRegistry(RestRegistry.RegistrySettings.of(url))) {
            assertThat(client.register("pet", PET)).isEqualTo(7);
            assertThat(client.currentError()).isEmpty();
        } finally {
            readOnly.stop(0);
        }
    }

    @Test
    void acceptsIdsInImportModeOnly() {
        String withId = PET_BODY.replaceFirst("}$", ",\"id\":7}");
        assertThat(post("/subjects/pet/versions", withId)).startsWith("422 ").contains("42205", "not in import mode");
        assertThat(get("/subjects")).isEqualTo("200 []");
        assertThat(put("/mode/pet", "{\"mode\":\"IMPORT\"}")).isEqualTo("200 {\"mode\":\"IMPORT\"}");
        assertThat(post("/subjects/pet/versions", withId)).isEqualTo("200 {\"id\":7}");
        assertThat(put("/mode/pet", "{\"mode\":\"READONLY\"}")).isEqualTo("200 {\"mode\":\"READONLY\"}");
        assertThat(post("/subjects/pet/versions", PET_BODY)).startsWith("422 ").contains("42205", "read-only");
        assertThat(put("/mode/pet", "{\"mode\":\"IMPORT\"}")).startsWith("422 ").contains("42205", "has schemas");
        assertThat(get("/mode/pet")).isEqualTo("200 {\"mode\":\"READONLY\"}");
        assertThat(put("/mode/pet", "{\"mode\":\"SOME\"}")).startsWith("422 ").contains("42204", "SOME");
        assertThat(get("/mode/other")).startsWith("404 ").contains("40409");
        assertThat(get("/mode/other?defaultToGlobal=true")).isEqualTo("200 {\"mode\":\"READWRITE\"}");
    }

    @Test
    void importLeavesModeAsItWas() {
        rest.restore("new", 5, PET);
        assertThat(get("/mode/new")).startsWith("404 ").contains("40409");
        for (String mode : List.of("READONLY", "IMPORT", "READWRITE")) {
            put("/mode/" + mode, "{\"mode\":\"%s\"}".formatted(mode));
            rest.restore(mode, 5, PET);
            rest.restore(mode, 5, PET);
            assertThat(get("/mode/" + mode)).isEqualTo("200 {\"mode\":\"%s\"}".formatted(mode));
        }
        Schema other = SchemaBuilder.record("Pet").fields().requiredInt("legs").endRecord();
        assertRejected(RegistryErrorCode.INCOMPATIBLE, () -> rest.restore("new", 5, other));
        assertThat(get("/mode/new")).as("after a failure").startsWith("404 ").contains("40409");
    }

    @Test
    void servesConfluentProtocol() {
        assertThat(post("/subjects/pet/versions", PET_BODY)).isEqualTo("200 {\"id\":1}");
        assertThat(get("/subjects/pet/versions")).isEqualTo("200 [1]");
        assertThat(get("/subjects/pet/versions/latest")).startsWith("200 {").contains("\"version\":1", "\"id\":1");
        assertThat(get("/subjects/pet/versions/1/schema")).contains("\"name\":\"Pet\"");
        assertThat(post("/subjects/pet", PET_BODY)).contains("\"subject\":\"pet\"", "\"version\":1", "\"id\":1");
        assertThat(get("/schemas/ids/1")).startsWith("200 {\"schema\":\"{");
        assertThat(get("/schemas/ids/1/subjects")).isEqualTo("200 [\"pet\"]");
        assertThat(get("/schemas/ids/1/versions")).contains("\"subject\":\"pet\"");
        assertThat(get("/schemas/types")).isEqualTo("200 [\"AVRO\"]");
        assertThat(get("/config")).isEqualTo("200 {\"compatibilityLevel\":\"FULL_TRANSITIVE\"}");
        assertThat(get("/config/pet?defaultToGlobal=true")).contains("FULL_TRANSITIVE");
        assertThat(put("/config/pet", "{\"compatibility\":\"BACKWARD\"}"))
                .isEqualTo("200 {\"compatibility\":\"BACKWARD\"}");
        assertThat(get("/config/pet")).isEqualTo("200 {\"compatibilityLevel\":\"BACKWARD\"}");
        assertThat(post("/compatibility/subjects/pet/versions/latest", PET_BODY))
                .isEqualTo("200 {\"is_compatible\":true}");
        assertThat(post("/compatibility/subjects/pet/versions/1?verbose=true", OTHER_BODY))
                .contains("\"is_compatible\":false", "\"messages\":[\"reading version 1");
        assertThat(get("/mode")).isEqualTo("200 {\"mode\":\"READWRITE\"}");
    }

    @Test
    void usesConfluentErrorCodes() {
        post("/subjects/pet/versions", PET_BODY);
        assertThat(get("/subjects/none/versions")).startsWith("404 ").contains("\"error_code\":40401");
        assertThat(get("/subjects/pet/versions/9")).startsWith("404 ").contains("\"error_code\":40402");
        assertThat(get("/subjects/pet/versions/new")).startsWith("422 ").contains("\"error_code\":42202");
        assertThat(get("/schemas/ids/9")).startsWith("404 ").contains("\"error_code\":40403");
        assertThat(post("/subjects/pet", OTHER_BODY)).startsWith("404 ").contains("\"error_code\":40403");
        assertThat(post("/subjects/pet/versions", OTHER_BODY))
                .startsWith("409 ")
                .contains("\"error_code\":409");
        assertThat(post("/subjects/pet/versions", "{\"schema\":\"{}\"}"))
                .startsWith("422 ")
                .contains("42201");
        assertThat(post("/subjects/pet/versions", "{\"schema\":\"{}\",\"schemaType\":\"JSON\"}"))
                .contains("42201", "JSON");
        assertThat(put("/config", "{\"compatibility\":\"SOME\"}"))
                .startsWith("422 ")
                .contains("42203", "SOME");
        assertThat(get("/config/pet")).startsWith("404 ").contains("40408");
        assertThat(post("/subjects/pet/versions", "{")).startsWith("400 ");
        assertThat(get("/secret")).startsWith("404 ");
        assertThat(send(request("/subjects/pet/versions")
                        .setHeader("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(PET_BODY))))
                .startsWith("415 ");
    }

    @Test
    void unreachableRegistryIsRetriable() {
        var unreachable = new RestRegistry(RestRegistry.RegistrySettings.of(URI.create("http://127.0.0.1:9"))
                .within(Duration.ofSeconds(1)));
        assertRejected(RegistryErrorCode.UNREACHABLE, () -> unreachable.byId(1));
        assertThat(RegistryErrorCode.UNREACHABLE.isRetriable()).isTrue();
        assertThat(unreachable.currentError())
                .hasValueSatisfying(reason -> assertThat(reason).contains("Check the registry"));
        unreachable.close();
    }

    @Test
    void rejectionIsNoRegistryError() {
        assertRejected(RegistryErrorCode.UNKNOWN_ID, () -> rest.byId(9));
        assertThat(rest.currentError()).isEmpty();
    }

    @Test
    void hidesPassword() {
        var login = new RegistryLogin.Basic("me", new SecretFile(Path.of("password")));
        assertThat(RestRegistry.RegistrySettings.of(server.url()).as(login))
                .hasToString(server.url().toString());
    }

    @Test
    void callTakesLessThanThirtyMillis() {
        rest.register("pet", PET);
        long start = System.nanoTime();
        for (int i = 0; i < 50; i++) {
            rest.byId(1);
        }
        long each = (System.nanoTime() - start) / 50_000;
        System.out.println("registry call: " + each + " us");
        assertThat(each).isLessThan(30_000);
    }

    private String get(String path) {
        return send(request(path).GET());
    }

    private String post(String path, String body) {
        return send(request(path).POST(BodyPublishers.ofString(body)));
    }

    private String put(String path, String body) {
        return send(request(path).PUT(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path)).header("Content-Type", "application/json");
    }

    private String send(HttpRequest.Builder request) {
        try {
            var response = http.send(request.build(), BodyHandlers.ofString());
            return response.statusCode() + " " + response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertRejected(RegistryErrorCode reason, ThrowableAssert.ThrowingCallable call) {
        assertThatExceptionOfType(RegistryException.class)
                .isThrownBy(call)
                .satisfies(e -> assertThat(e.errorCode()).isEqualTo(reason));
    }
}
