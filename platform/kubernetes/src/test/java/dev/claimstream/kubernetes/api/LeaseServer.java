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

    synchronized void forbid() {
        isForbidden = true;
    }

    private record Said(int code, JsonNode body) {}

    private void answer(HttpExchange exchange) throws IOException {
        JsonNode sent = ApiHttpClient.json(exchange.getRequestBody().readAllBytes());
        Said said = said(exchange.getRequestMethod(), exchange.getRequestURI().getPath(), sent);
        byte[] bytes = ApiHttpClient.JSON.writeValueAsBytes(said.body());
        exchange.sendResponseHeaders(said.code(), bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private synchronized Said said(String method, String path, JsonNode sent) {
        if (isForbidden) {
            return no(403, "leases is forbidden");
        }
        if (path.equals("/api/v1/namespaces")) {
            hasNamespace = true;
            return new Said(201, sent);
        }
        return switch (method) {
            case "GET" -> lease.isMissingNode() ? no(404, "not found") : new Said(200, lease);
            case "POST" ->
                !hasNamespace
                        ? no(404, "namespace not found")
                        : lease.isMissingNode() ? kept(201, sent) : no(409, "already exists");
            default ->
                lease.isMissingNode()
                        ? no(404, "not found")
                        : version(sent) == version ? kept(200, sent) : no(409, "modified");
        };
    }

    private static long version(JsonNode object) {
        return object.path("metadata").path("resourceVersion").asLong();
    }

    private Said kept(int code, JsonNode sent) {
        version++;
        ObjectNode kept = sent.deepCopy();
        kept.withObjectProperty("metadata").put("resourceVersion", Long.toString(version));
        lease = kept;
        return new Said(code, kept);
    }

    private static Said no(int code, String message) {
        return new Said(
                code,
                ApiHttpClient.JSON.createObjectNode().put("kind", "Status").put("message", message));
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
