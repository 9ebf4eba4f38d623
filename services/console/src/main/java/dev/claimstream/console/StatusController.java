package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;

/** Serves the index of paths, health and metrics. */
@CommonResponses
@Controller
final class StatusController {
    private static final List<String> PATHS = List.of(
            "GET /",
            "GET /api/v1",
            "GET /api/v1/access?namespace=",
            "GET /api/v1/openapi.json",
            "GET /api/v1/claims?namespace=&name=&node=&driver=&state=&view=object",
            "GET /api/v1/namespaces/{namespace}/claims/{name}",
            "GET /api/v1/namespaces/{namespace}/claims/{name}/explanation",
            "GET /api/v1/namespaces/{namespace}/claims/{name}/nearest-changes",
            "GET /api/v1/namespaces/{namespace}/pods/{name}/explanation",
            "GET /api/v1/watch/claims?namespace=&name=&fromStart=true",
            "GET /api/v1/live",
            "GET /api/v1/devices?name=&node=&driver=&pool=&state=",
            "GET /api/v1/pools?name=&node=&driver=",
            "GET /api/v1/nodes?name=&driver=",
            "GET /api/v1/comparisons?namespace=&result=",
            "GET /api/v1/queue?namespace=",
            "GET /api/v1/queue/findings?namespace=",
            "GET /api/v1/events?node=&driver=&pool=&device=",
            "GET /api/v1/trends/reasons?namespace=",
            "GET /api/v1/trends/telemetry?driver=&pool=&device=",
            "GET /api/v1/trends/nodes?node=",
            "GET /api/v1/past/usage?by=&since=&until=&steps=",
            "GET /api/v1/past/holders?device=",
            "GET /api/v1/past/claims?claim=",
            "GET /api/v1/past/who?device=&at=",
            "GET /api/v1/past/history?kind=&name=&since=&until=",
            "GET /api/v1/past/device-hours?by=&since=&until=&weights=",
            "GET /api/v1/past/blast-radius?target=&since=",
            "POST /api/v1/simulate?addNodes=&drain=&policy=&shapes=",
            "GET /api/v1/namespaces/{namespace}/claims/{name}/devices",
            "GET /api/v1/namespaces/{namespace}/pods/{name}/devices",
            "GET /api/v1/schemas",
            "GET /api/v1/schemas/{subject}",
            "GET /schemas",
            "POST /api/v1/apply?file=",
            "POST /api/v1/delete?file=",
            "DELETE /api/v1/objects/{kind}/{name}?namespace=",
            "GET /health",
            "GET /metrics");
    private static final MediaType PROMETHEUS = MediaType.of("text/plain; version=0.0.4; charset=utf-8");

    private final Health health;
    private final Meters meters;

    StatusController(Health health, Meters meters) {
        this.health = health;
        this.meters = meters;
    }

    @ApiResponse(
            responseCode = "200",
            description = "The paths of the API.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/Paths")))
    @Get("/api/v1")
    HttpResponse<String> index() {
        return HttpResponse.ok(Tree.mapping(fields -> fields.put("paths", Tree.texts(PATHS)))
                        .indentedJson())
                .contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    /** Returns the health of all components; 503 if one is down. */
    @ApiResponse(
            responseCode = "200",
            description = "Every part is up or degraded.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HealthReport")))
    @ApiResponse(
            responseCode = "503",
            description = "A part is down.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HealthReport")))
    @Get("/health")
    HttpResponse<String> health() {
        Health.HealthReport report = health.report();
        return HttpResponse.<String>status(report.isReady() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                .contentType(MediaType.APPLICATION_JSON_TYPE)
                .body(report.json() + "\n");
    }

    /** Returns the metrics in the Prometheus text format. */
    @ApiResponse(
            responseCode = "200",
            description = "Metrics in the text format of Prometheus.",
            content = @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text")))
    @Get("/metrics")
    @Produces(MediaType.TEXT_PLAIN)
    HttpResponse<String> metrics() {
        return HttpResponse.ok(meters.text()).contentType(PROMETHEUS);
    }
}
