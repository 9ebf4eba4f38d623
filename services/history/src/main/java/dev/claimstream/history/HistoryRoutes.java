package dev.claimstream.history;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import dev.claimstream.history.store.ResultText;
import dev.claimstream.kubernetes.access.AccessDeniedException;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.HostCheck;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.RouteTable;
import dev.claimstream.process.access.HttpAccessFilter;
import java.util.List;
import java.util.Map;

/** The routes of the history and the callers that may use them. */
final class HistoryRoutes {
    /** A route that is not here exists on loopback only. */
    static final RouteTable ROUTES = new RouteTable(Map.of(
            "GET /api/v1/who", RouteRule.VISIBLE,
            "GET /api/v1/history", RouteRule.VISIBLE,
            "GET /api/v1/usage", RouteRule.VISIBLE,
            "GET /api/v1/usage-series", RouteRule.VISIBLE,
            "GET /api/v1/blast-radius", RouteRule.VISIBLE,
            "POST /api/v1/sql", RouteRule.AUDIT,
            "GET /api/v1/export", RouteRule.AUDIT));

    private HistoryRoutes() {}

    static HttpAccessFilter filter(String host, List<String> allowedHosts, AccessGate gate) {
        return new HttpAccessFilter(
                HostCheck.of(host, allowedHosts, "claimstream.history.allowed-hosts"),
                gate,
                ROUTES,
                denied -> error(denied) + "\n");
    }

    static String error(AccessDeniedException denied) {
        return ResultText.error(HistoryProblem.FORBIDDEN, denied.problem() + ": " + denied.remedy());
    }
}
