package dev.claimstream.systemtests.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Asks a running console again what its page has asked, and compares the answers with its OpenAPI description. */
final class DescribedAnswers {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonSchemaFactory SCHEMAS = JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V4);
    private static final String API = "/api/v1/";
    private static final String STREAM = API + "live";

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI console;
    private final JsonNode document;

    DescribedAnswers(URI console) throws IOException, InterruptedException {
        this.console = console;
        document = JSON.readTree(send(HttpRequest.newBuilder(console.resolve(API + "openapi.json"))));
    }

    private HttpResponse<String> answer(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.header("Accept", "application/json").build(), HttpResponse.BodyHandlers.ofString());
    }

    private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> response = answer(request);
        assertThat(response.statusCode())
                .as(response.uri() + " " + response.body())
                .isEqualTo(200);
        return response.body();
    }

    /**
     * Checks the answers to these requests, apart from the stream, and returns the described paths of the API that they used. An object
     * that is gone has no answer.
     */
    Set<String> check(Collection<String> requests) throws IOException, InterruptedException {
        Set<String> paths = new TreeSet<>();
        for (String url : new TreeSet<>(requests)) {
            URI uri = URI.create(url);
            if (uri.getPath().startsWith(API)
                    && !uri.getPath().equals(STREAM)
                    && !uri.getPath().endsWith("simulate")) {
                HttpResponse<String> response = answer(HttpRequest.newBuilder(uri));
                if (response.statusCode() != 404) {
                    assertThat(response.statusCode()).as(url).isEqualTo(200);
                    paths.add(check("get", uri, response.body()));
                }
            }
        }
        return paths;
    }

    /** Checks the answer to a question to the simulator. */
    void checkSimulation(String manifests) throws IOException, InterruptedException {
        URI uri = console.resolve(API + "simulate?shapes=true");
        check(
                "post",
                uri,
                send(HttpRequest.newBuilder(uri)
                        .header("Content-Type", "application/yaml")
                        .POST(HttpRequest.BodyPublishers.ofString(manifests))));
    }

    private String check(String method, URI uri, String body) throws IOException {
        String path = document.get("paths").properties().stream()
                .map(Map.Entry::getKey)
                .filter(each -> uri.getPath().matches(each.replaceAll("\\{\\w+}", "[^/]+")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("not described: " + uri));
        JsonNode schema = document.path("paths")
                .path(path)
                .path(method)
                .at("/responses/200/content")
                .path("application/json")
                .path("schema");
        assertThat(schema.isMissingNode()).as("schema of %s", path).isFalse();
        ObjectNode root = JSON.createObjectNode();
        root.set("components", document.get("components"));
        root.putArray("allOf").add(schema);
        assertThat(SCHEMAS.getSchema(root).validate(JSON.readTree(body)))
                .as("%s: %s", uri, body)
                .isEmpty();
        return path;
    }
}
