package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;

/** The part of an API server that a lease needs: one versioned object in a namespace that must be created first. */
final class LeaseServer implements AutoCloseable {
    private final HttpServer server;
    private boolean hasNamespace;
    private boolean isForbidden;
    private long version;
    private JsonNode lease = ApiHttpClient.JSON.missingNode();

    LeaseServer() {
        server = LocalServer.start(this::answer);
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    synchronized JsonNode lease() {
        return lease.deepCopy();
    }

    synchronized boolean hasNamespace() {
        return hasNamespace;
    }

    synchronized void remove() {
        lease = ApiHttpClient.JSON.missingNode();
    }

    /** Gives the lease another version, as a restore of the cluster does. */
    synchronized void setVersion(long other) {
        version = other;
        lease.<ObjectNode>require().withObjectProperty("metadata").put("resourceVersion", Long.toString(other));
    }

    synchronized void forbid() {
        isForbidden = true;
    }

    private record LeaseResponse(int code, JsonNode body) {}

    private void answer(HttpExchange exchange) throws IOException {
        JsonNode sent = ApiHttpClient.json(exchange.getRequestBody().readAllBytes());
        LeaseResponse response =
                respond(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), sent);
        byte[] bytes = ApiHttpClient.JSON.writeValueAsBytes(response.body());
        exchange.sendResponseHeaders(response.code(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private synchronized LeaseResponse respond(String method, String path, JsonNode sent) {
        if (isForbidden) {
            return error(403, "leases is forbidden");
        }
        if (path.equals("/api/v1/namespaces")) {
            hasNamespace = true;
            return new LeaseResponse(201, sent);
        }
        return switch (method) {
            case "GET" -> lease.isMissingNode() ? error(404, "not found") : new LeaseResponse(200, lease);
            case "POST" ->
                !hasNamespace
                        ? error(404, "namespace not found")
                        : lease.isMissingNode() ? store(201, sent) : error(409, "already exists");
            default ->
                lease.isMissingNode()
                        ? error(404, "not found")
                        : version(sent) == version ? store(200, sent) : error(409, "modified");
        };
    }

    private static long version(JsonNode object) {
        return object.path("metadata").path("resourceVersion").asLong();
    }

    private LeaseResponse store(int code, JsonNode sent) {
        version++;
        ObjectNode kept = sent.deepCopy();
        kept.withObjectProperty("metadata").put("resourceVersion", Long.toString(version));
        lease = kept;
        return new LeaseResponse(code, kept);
    }

    private static LeaseResponse error(int code, String message) {
        return new LeaseResponse(
                code,
                ApiHttpClient.JSON.createObjectNode().put("kind", "Status").put("message", message));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
