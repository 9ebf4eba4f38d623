package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import java.util.function.Predicate;

/** Serves the samples of the last hour, one per minute, the oldest first. */
@CommonResponses
@Controller("/api/v1/trends")
@ExecuteOn(TaskExecutors.BLOCKING)
final class TrendsController {
    private final RecentTrends trends;
    private final ClusterView clusterView;

    TrendsController(RecentTrends trends, ClusterView clusterView) {
        this.trends = trends;
        this.clusterView = clusterView;
    }

    /** Returns the number of pending claims by reason. */
    @ApiResponse(
            responseCode = "200",
            description = "Pending claims by reason, one sample per minute.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/ReasonSampleList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/ReasonSample"))
            })
    @Get("/reasons")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> reasons(HttpRequest<?> request, @QueryValue(defaultValue = "") String namespace) {
        VisibleObjects visible = RequestAccess.visible(request);
        Predicate<String> filter = each -> (namespace.isEmpty() || each.equals(namespace)) && visible.sees(each);
        return ListResponse.of(
                request,
                trends.reasons(),
                sample -> Tree.mapping(fields -> {
                    fields.put("at", sample.at().toString());
                    fields.put(
                            "counts",
                            Tree.mapping(counts ->
                                    RecentTrends.byReason(sample, filter).forEach(counts::put)));
                }));
    }

    /** Returns the telemetry of a device that the caller sees; of another one nothing, as if there were none. */
    @ApiResponse(
            responseCode = "200",
            description = "Telemetry of a device, one sample per minute.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/TelemetryPointList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/TelemetryPoint"))
            })
    @Get("/telemetry")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> telemetry(
            HttpRequest<?> request, @QueryValue String driver, @QueryValue String pool, @QueryValue String device) {
        var id = new DeviceId(driver, pool, device);
        return ListResponse.of(
                request,
                isVisible(RequestAccess.visible(request), id) ? trends.telemetry(id) : List.of(),
                TrendsController::point);
    }

    /** Returns the mean telemetry of the devices of a node that the caller sees. */
    @ApiResponse(
            responseCode = "200",
            description = "Mean telemetry of the devices of a node, one sample per minute.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/TelemetryPointList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/TelemetryPoint"))
            })
    @Get("/nodes")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> nodes(HttpRequest<?> request, @QueryValue String node) {
        InventoryView inventory = clusterView.read(RequestAccess.visible(request), InventoryView::of);
        List<DeviceId> devices = inventory.devices().stream()
                .filter(device -> device.nodes().equals(node))
                .map(DeviceView::id)
                .toList();
        return ListResponse.of(request, trends.meanTelemetry(devices), TrendsController::point);
    }

    private static Tree.Mapping point(DeviceTrends.TrendPoint point) {
        return Tree.mapping(fields -> {
            fields.put("at", point.at().toString());
            point.utilizationPercent().ifPresent(value -> fields.put("utilizationPercent", number(value)));
            point.memoryPercent().ifPresent(value -> fields.put("memoryPercent", number(value)));
            point.watts().ifPresent(value -> fields.put("powerWatts", value));
        });
    }

    private boolean isVisible(VisibleObjects visible, DeviceId device) {
        return visible.hasDevices()
                || clusterView.read(
                        visible,
                        snapshot -> snapshot.all(Kind.RESOURCE_CLAIM, ResourceClaim.class)
                                .flatMap(claim -> claim.allocation().stream())
                                .flatMap(allocation -> allocation.results().stream())
                                .anyMatch(result -> result.device().equals(device)));
    }

    private static Tree number(double value) {
        return new Tree.Numeral(Double.toString(value));
    }
}
