package example.site;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.Schema;

/** Reads schemas from a registry with Confluent's REST protocol, and registers none. */
final class RegistryClient {
    private final String url;
    private final HttpClient http = HttpClient.newHttpClient();
    private final ObjectMapper json = new ObjectMapper();
    private final Map<String, RegisteredSchema> latest = new ConcurrentHashMap<>();
    private final Map<Integer, Schema> byId = new ConcurrentHashMap<>();

    RegistryClient(String url) {
        this.url = url.replaceAll("/+$", ""); // Apicurio's address has a path: .../apis/ccompat/v7
    }

    /** A schema and its id. */
    record RegisteredSchema(int id, Schema schema) {}

    /** Returns the latest schema of the values of a topic. */
    RegisteredSchema latest(String topic) {
        return latest.computeIfAbsent(topic, name -> {
            JsonNode found = get("/subjects/" + name + "-value/versions/latest");
            return new RegisteredSchema(found.get("id").asInt(), new Schema.Parser().parse(found.get("schema").asText()));
        });
    }

    Schema byId(int id) {
        return byId.computeIfAbsent(id, each -> new Schema.Parser().parse(get("/schemas/ids/" + each).get("schema").asText()));
    }

    private JsonNode get(String path) {
        try {
            var response = http.send(HttpRequest.newBuilder(URI.create(url + path)).build(), BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException("registry " + url + path + ": " + response.statusCode() + " " + response.body());
            }
            return json.readTree(response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: registry " + url + path, e);
        }
    }
}
