package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

/**
 * Sends random requests to every path of the API, and compares status, type and body with the description that the console serves. A
 * failure names the seed; {@code -Dapi.fuzz.seed=N} repeats its requests.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ApiDescriptionTest {
    private static final int REQUESTS_PER_OPERATION = 40;

    /** Values that mean something to the API, and others that do not. */
    private static final List<String> VALUES = List.of(
            "default",
            "a",
            "b",
            "user",
            "node-1",
            "gpu.example.com",
            "gpu-0",
            "allocated",
            "pending",
            "allocated,reserved",
            "free",
            "object",
            "true",
            "false",
            "same",
            "ResourceClaim",
            "Pod",
            "claims.v1-value",
            "inventory.v1",
            "",
            " ",
            "%",
            "/",
            "..",
            "?x=1",
            "\u00e9\ud83d\ude00",
            "x".repeat(300),
            "{}",
            "\"'<>&");

    private static final List<String> BODIES = List.of(
            "",
            "{",
            "[]",
            "a: [",
            "null",
            "kind: Unknown",
            "\u0000\u0001",
            "- 1",
            SmallCluster.NODE,
            SmallCluster.SLICE,
            SmallCluster.claim("new"),
            SmallCluster.claim("new").replace("gpu.example.com", "-bad-"),
            "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"team\"}}");

    private static final List<String> BODY_TYPES =
            List.of("application/yaml", "application/json", "application/yaml", "text/csv", "not a type");

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private final RunningConsole console = RunningConsole.start(cluster.view);
    private final HttpClient http = HttpClient.newHttpClient();
    private final long seed = Long.getLong("api.fuzz.seed", System.nanoTime());
    private final SortedMap<String, Integer> seen = new TreeMap<>();

    /** A request with the operation that it is meant for. */
    private record ApiCall(ApiDescription.Operation operation, HttpRequest request) {
        boolean isStream() {
            return operation.path().endsWith("/watch/claims")
                    || operation.path().endsWith("/live");
        }
    }

    /** A response, or the beginning of a stream. */
    private record ApiAnswer(int status, Optional<String> type, String body) {}

    @BeforeAll
    void fill() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.upsert(SmallCluster.claim("b"));
        cluster.allocate("a", "gpu-0");
        cluster.setPending("b");
        cluster.upsert("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com}
                spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
                """);
        console.events().compare(Instant.now());
        cluster.upsert(SmallCluster.NODE.replace("}", ", labels: {rack: r1}}") + "spec: {unschedulable: true}\n");
        console.events().compare(Instant.now());
        cluster.upsert(SmallCluster.NODE);
        cluster.upsert("""
                apiVersion: v1
                kind: Pod
                metadata: {name: user, namespace: default, uid: user}
                spec:
                  containers: [{name: main, image: app, resources: {claims: [{name: gpu}, {name: other}]}}]
                  resourceClaims: [{name: gpu, resourceClaimName: a}, {name: other, resourceClaimName: missing}]
                """);
        cluster.view.applySample(
                new DeviceId("gpu.example.com", "node-1", "gpu-0"),
                new TelemetrySample(
                        Instant.now(),
                        OptionalDouble.of(12.5),
                        OptionalLong.of(1),
                        OptionalLong.of(2),
                        OptionalDouble.of(300),
                        OptionalDouble.of(40)));
    }

    @AfterAll
    void stop() {
        http.shutdownNow();
        console.close();
    }

    private ApiDescription description() throws IOException, InterruptedException {
        HttpResponse<String> response = console.get("/api/v1/openapi.json");
        assertThat(response.statusCode()).isEqualTo(200);
        return new ApiDescription(response.body());
    }

    @Test
    void describesExactlyTheRoutes() throws Exception {
        assertThat(description().operations())
                .extracting(ApiDescription.Operation::toString)
                .containsExactlyInAnyOrderElementsOf(console.routes());
    }

    @Test
    void answersAsDescribed() throws Exception {
        ApiDescription description = description();
        var random = new Random(seed);
        List<String> problems = new ArrayList<>();
        for (ApiDescription.Operation operation : description.operations()) {
            for (int i = 0; i < REQUESTS_PER_OPERATION; i++) {
                ApiCall call = call(operation, random);
                ApiAnswer answer = send(call);
                seen.merge(operation + " " + answer.status(), 1, Integer::sum);
                description
                        .problems(operation, answer.status(), answer.type(), answer.body())
                        .forEach(problem -> problems.add("%s %s %s: %s; %s"
                                .formatted(
                                        call.request().method(),
                                        call.request().uri(),
                                        call.request().headers().map(),
                                        problem,
                                        answer)));
            }
        }
        assertThat(problems).as("seed %d (-Dapi.fuzz.seed)", seed).isEmpty();
        assertThat(description.operations())
                .as("operations that succeeded at least once; seed %d: %s", seed, seen)
                .allSatisfy(operation -> assertThat(seen.keySet())
                        .as("501: this console has neither history nor simulator")
                        .containsAnyOf(operation + " 200", operation + " 501"));
        assertThat(seen.keySet().stream()
                        .map(each -> each.substring(each.lastIndexOf(' ') + 1))
                        .collect(Collectors.toSet()))
                .as("statuses; seed %d", seed)
                .contains("200", "400", "403", "404", "406", "415");
    }

    private ApiCall call(ApiDescription.Operation operation, Random random) {
        String path = operation.path();
        for (String name : operation.parameters("path")) {
            path = path.replace("{" + name + "}", encoded(pathValue(operation, name, random)));
        }
        boolean hasAll = random.nextInt(3) == 0; // an operation with several required parameters succeeds too
        String query = operation.parameters("query").stream()
                .filter(_ -> hasAll || random.nextInt(3) == 0)
                .map(name -> name + "=" + encoded(any(VALUES, random)))
                .collect(Collectors.joining("&"));
        var request = HttpRequest.newBuilder(URI.create(console.url() + path + (query.isEmpty() ? "" : "?" + query)))
                .timeout(Duration.ofSeconds(20));
        switch (random.nextInt(6)) {
            case 0 -> request.header("Accept", "image/png");
            case 1 -> request.header("Accept", "*/*");
            case 2 -> request.header("Origin", "http://example.com");
            case 3 -> {}
            default -> request.header("Accept", any(List.copyOf(operation.types()), random));
        }
        if (operation.hasBody()) {
            request.header("Content-Type", any(BODY_TYPES, random));
        }
        return new ApiCall(
                operation,
                request.method(
                                operation.method(),
                                operation.hasBody()
                                        ? HttpRequest.BodyPublishers.ofString(any(BODIES, random))
                                        : HttpRequest.BodyPublishers.noBody())
                        .build());
    }

    /** Returns a value that often names an existing object, so that requests also succeed. An empty value makes another path. */
    private String pathValue(ApiDescription.Operation operation, String name, Random random) {
        if (random.nextInt(4) == 0) {
            return any(VALUES.stream().filter(each -> !each.isEmpty()).toList(), random);
        }
        return switch (name) {
            case "namespace" -> "default";
            case "kind" -> "ResourceClaim";
            case "subject" -> "inventory.v1";
            case "version" -> PageAssets.shipped().version();
            case "name" -> existingName(operation.path(), random);
            default -> any(VALUES, random);
        };
    }

    private static String existingName(String path, Random random) {
        if (path.startsWith("/page/")) {
            return "main.js";
        }
        return path.contains("/pods/") ? "user" : any(List.of("a", "b"), random);
    }

    private static <T> T any(List<T> values, Random random) {
        return values.get(random.nextInt(values.size()));
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E");
    }

    private ApiAnswer send(ApiCall call) throws IOException, InterruptedException {
        if (call.isStream()) {
            HttpResponse<InputStream> response = http.send(call.request(), HttpResponse.BodyHandlers.ofInputStream());
            boolean isOpen = response.statusCode() == 200;
            try (InputStream body = response.body();
                    var reader = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
                String text = isOpen
                        ? String.valueOf(reader.readLine())
                        : reader.lines().collect(Collectors.joining());
                return new ApiAnswer(response.statusCode(), response.headers().firstValue("Content-Type"), text);
            }
        }
        HttpResponse<String> response = http.send(call.request(), HttpResponse.BodyHandlers.ofString());
        return new ApiAnswer(response.statusCode(), response.headers().firstValue("Content-Type"), response.body());
    }

    @Test
    void streamsChangesAsDescribed() throws Exception {
        ApiDescription description = description();
        HttpResponse<InputStream> response = http.send(
                HttpRequest.newBuilder(console.url().resolve("/api/v1/watch/claims?fromStart=true"))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        try (var reader = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
            String change = "";
            while (change.isBlank()) {
                change = String.valueOf(reader.readLine());
            }
            assertThat(description.problems("ClaimChange", change)).isEmpty();
        }
    }

    @Test
    void streamsRowsOfThePageAsDescribed() throws Exception {
        ApiDescription description = description();
        try (var live = new LiveEventReader(http, console.url())) {
            assertThat(description.problems("LiveSnapshot", live.next("snapshot")))
                    .isEmpty();
            assertThat(description.problems("LiveStatus", live.next("status"))).isEmpty();
            cluster.upsert(SmallCluster.claim("c"));
            cluster.setPending("c");
            assertThat(description.problems("LiveChange", live.next("change"))).isEmpty();
            cluster.delete(Kind.RESOURCE_CLAIM, SmallCluster.key("c"));
            String removed = live.next("change");
            assertThat(removed).contains("\"removed\":{\"claims\":[\"default/c\"]}");
            assertThat(description.problems("LiveChange", removed)).isEmpty();
            assertThat(description.problems("LiveChange", removed.replace("\"removed\"", "\"gone\"")))
                    .isNotEmpty();
        }
    }

    @Test
    void findsWhatTheDescriptionLacks() throws Exception {
        ApiDescription description = description();
        String claim = "{\"namespace\":\"n\",\"name\":\"a\",\"uid\":\"u\",\"state\":\"pending\"";
        assertThat(description.problems("Claim", claim + "}")).isEmpty();
        assertThat(description.problems("Claim", claim + ",\"more\":1}")).isNotEmpty();
        assertThat(description.problems("Claim", claim.replace("pending", "unknown") + "}"))
                .isNotEmpty();
        assertThat(description.problems("Claim", "{\"name\":\"a\"}")).isNotEmpty();
        ApiDescription.Operation nodes = description.operations().stream()
                .filter(each -> each.toString().equals("GET /api/v1/nodes"))
                .findFirst()
                .orElseThrow();
        assertThat(description.problems(nodes, 418, Optional.of("application/json"), "{}"))
                .isNotEmpty();
        assertThat(description.problems(nodes, 200, Optional.of("text/csv"), ""))
                .isNotEmpty();
        assertThat(description.problems(nodes, 200, Optional.of("application/json"), "{\"items\":[]}"))
                .isEmpty();
    }
}
