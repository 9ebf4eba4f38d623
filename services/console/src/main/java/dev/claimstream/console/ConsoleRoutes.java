package dev.claimstream.console;

import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.RouteTable;
import java.util.Map;

/**
 * The routes of the console and their callers in a cluster. A route that is not here is rejected there, and fails {@code AccessTest}.
 */
final class ConsoleRoutes {
    static final RouteTable ROUTES = new RouteTable(Map.ofEntries(
            Map.entry("GET /", RouteRule.OPEN),
            Map.entry("GET /page/{version}/{name}", RouteRule.OPEN),
            Map.entry("GET /api/v1", RouteRule.OPEN),
            Map.entry("GET /api/v1/openapi.json", RouteRule.OPEN),
            Map.entry("GET /health", RouteRule.OPEN),
            Map.entry("GET /schemas", RouteRule.OPEN),
            Map.entry("GET /api/v1/schemas", RouteRule.OPEN),
            Map.entry("GET /api/v1/schemas/{subject}", RouteRule.OPEN),
            Map.entry("GET /metrics", RouteRule.AUDIT),
            Map.entry("GET /api/v1/access", RouteRule.USER),
            Map.entry("GET /api/v1/claims", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/watch/claims", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/live", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/devices", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/pools", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/nodes", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/comparisons", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/queue", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/queue/findings", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/namespaces/{namespace}/claims/{name}", RouteRule.NAMESPACE),
            Map.entry("GET /api/v1/namespaces/{namespace}/claims/{name}/explanation", RouteRule.NAMESPACE),
            Map.entry("GET /api/v1/namespaces/{namespace}/claims/{name}/nearest-changes", RouteRule.NAMESPACE),
            Map.entry("GET /api/v1/namespaces/{namespace}/pods/{name}/explanation", RouteRule.NAMESPACE),
            Map.entry("GET /api/v1/events", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/trends/reasons", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/trends/telemetry", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/trends/nodes", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/usage", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/holders", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/claims", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/who", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/history", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/device-hours", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/past/blast-radius", RouteRule.VISIBLE),
            Map.entry("POST /api/v1/simulate", RouteRule.VISIBLE),
            Map.entry("GET /api/v1/namespaces/{namespace}/claims/{name}/devices", RouteRule.NAMESPACE),
            Map.entry("GET /api/v1/namespaces/{namespace}/pods/{name}/devices", RouteRule.NAMESPACE),
            Map.entry("POST /api/v1/apply", RouteRule.LOOPBACK),
            Map.entry("POST /api/v1/delete", RouteRule.LOOPBACK),
            Map.entry("DELETE /api/v1/objects/{kind}/{name}", RouteRule.LOOPBACK)));

    private ConsoleRoutes() {}
}
