package dev.claimstream.simulator;

import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.HostCheck;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.RouteTable;
import dev.claimstream.process.access.HttpAccessFilter;
import java.util.List;
import java.util.Map;

/** The routes of the simulator and the callers that may use them. */
final class SimulatorRoutes {
    /** A route that is not here exists on loopback only. */
    static final RouteTable ROUTES = new RouteTable(Map.of(
            "GET /api/v1", RouteRule.OPEN,
            "POST /api/v1/simulate", RouteRule.VISIBLE,
            "GET /api/v1/namespaces/{namespace}/claims/{name}/devices", RouteRule.NAMESPACE,
            "GET /api/v1/namespaces/{namespace}/pods/{name}/devices", RouteRule.NAMESPACE));

    private SimulatorRoutes() {}

    static HttpAccessFilter filter(String host, List<String> allowedHosts, AccessGate gate) {
        return new HttpAccessFilter(
                HostCheck.of(host, allowedHosts, "claimstream.simulator.allowed-hosts"),
                gate,
                ROUTES,
                denied -> SimulatorServer.SimulatorResponse.error(
                                denied.status(), denied.problem(), denied.where(), denied.remedy())
                        .body());
    }
}
