package dev.claimstream.console;

import dev.claimstream.dra.DeviceId;
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
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Serves what has happened to devices and nodes since the start of the console, the latest first. */
@CommonResponses
@Controller("/api/v1/events")
@ExecuteOn(TaskExecutors.BLOCKING)
final class EventsController {
    private static final int ANSWER_MAX = 200;

    private final RecentEvents events;
    private final ClusterView clusterView;

    EventsController(RecentEvents events, ClusterView clusterView) {
        this.events = events;
        this.clusterView = clusterView;
    }

    /** Returns events of the devices and nodes that the caller sees. One that is gone is seen by callers who see all. */
    @ApiResponse(
            responseCode = "200",
            description = "Events of devices and nodes, the latest first, at most 200.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/InventoryEventList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/InventoryEvent"))
            })
    @Get
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> events(
            HttpRequest<?> request,
            @QueryValue Optional<String> node,
            @QueryValue Optional<String> driver,
            @QueryValue Optional<String> pool,
            @QueryValue Optional<String> device) {
        VisibleObjects visible = RequestAccess.visible(request);
        Predicate<RecentEvents.InventoryEvent> filter = event -> is(node, Optional.of(event.node()))
                && is(driver, event.device().map(DeviceId::driver))
                && is(pool, event.device().map(DeviceId::pool))
                && is(device, event.device().map(DeviceId::device));
        return ListResponse.of(
                request,
                events.events(filter.and(seenBy(visible)), ANSWER_MAX),
                event -> Tree.mapping(fields -> {
                    fields.put("at", event.at().toString());
                    event.device()
                            .ifPresent(id -> fields.put("driver", id.driver())
                                    .put("pool", id.pool())
                                    .put("device", id.device()));
                    fields.putUnlessEmpty("node", event.node());
                    event.claim()
                            .ifPresent(claim -> fields.put(
                                    "claim",
                                    visible.sees(claim.namespace()) ? claim.toString() : VisibleObjects.ELSEWHERE));
                    fields.put("message", event.message());
                }));
    }

    private static boolean is(Optional<String> filter, Optional<String> value) {
        return filter.isEmpty() || filter.equals(value);
    }

    private Predicate<RecentEvents.InventoryEvent> seenBy(VisibleObjects visible) {
        if (visible.isUnlimited()) {
            return _ -> true;
        }
        InventoryView inventory = clusterView.read(visible, InventoryView::of);
        Set<DeviceId> devices = inventory.devices().stream().map(DeviceView::id).collect(Collectors.toSet());
        Set<String> nodes = inventory.nodes().stream().map(NodeStatus::name).collect(Collectors.toSet());
        return event -> event.device()
                .map(device -> visible.hasDevices() || devices.contains(device))
                .orElseGet(() -> visible.hasNodes() || nodes.contains(event.node()));
    }
}
