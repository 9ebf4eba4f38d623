package dev.claimstream.console;

import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
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
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Serves devices, pools and nodes. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class InventoryController {
    private final ClusterView clusterView;
    private final DeviceClasses deviceClasses;

    InventoryController(ClusterView clusterView, DeviceClasses deviceClasses) {
        this.clusterView = clusterView;
        this.deviceClasses = deviceClasses;
    }

    private record ClassedInventory(InventoryView inventory, List<DeviceClass> classes) {}

    @ApiResponse(
            responseCode = "200",
            description = "Devices.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/DeviceList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Device"))
            })
    @Get("/devices")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> devices(
            HttpRequest<?> request,
            @QueryValue Optional<String> name,
            @QueryValue Optional<String> node,
            @QueryValue Optional<String> driver,
            @QueryValue Optional<String> pool,
            @QueryValue Optional<String> state) {
        state.ifPresent(InventoryController::check);
        ClassedInventory read = clusterView.read(
                snapshot -> new ClassedInventory(InventoryView.of(snapshot), DeviceClasses.classes(snapshot)));
        List<DeviceView> devices = new DeviceFilter(name, node, driver, pool, state).of(read.inventory());
        Map<DeviceId, List<String>> classes = deviceClasses.of(read.classes(), devices);
        return ListResponse.of(
                request, devices, device -> InventoryJson.device(device, classes.getOrDefault(device.id(), List.of())));
    }

    private static void check(String state) {
        if (Arrays.stream(DeviceView.DeviceViewState.values())
                .noneMatch(each -> each.text().equals(state))) {
            String known = Arrays.stream(DeviceView.DeviceViewState.values())
                    .map(DeviceView.DeviceViewState::text)
                    .collect(Collectors.joining(", "));
            throw new RejectedRequestException(
                    HttpStatus.BAD_REQUEST, "state %s is not known".formatted(state), "state", "use " + known);
        }
    }

    @ApiResponse(
            responseCode = "200",
            description = "Pools.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/PoolList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Pool"))
            })
    @Get("/pools")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> pools(
            HttpRequest<?> request,
            @QueryValue Optional<String> name,
            @QueryValue Optional<String> node,
            @QueryValue Optional<String> driver) {
        InventoryView inventory = clusterView.read(InventoryView::of);
        Map<Object, List<DeviceView>> devices = inventory.devices().stream()
                .collect(Collectors.groupingBy(device -> device.id().poolId()));
        List<PoolView> pools = inventory.pools().stream()
                .filter(pool ->
                        name.map(each -> ("/" + pool.id()).endsWith("/" + each)).orElse(true))
                .filter(pool -> driver.map(pool.id().driver()::equals).orElse(true))
                .filter(pool -> node.map(
                                each -> of(devices, pool).stream().anyMatch(device -> inventory.isOn(each, device)))
                        .orElse(true))
                .toList();
        return ListResponse.of(request, pools, pool -> InventoryJson.pool(pool, of(devices, pool)));
    }

    private static List<DeviceView> of(Map<Object, List<DeviceView>> devices, PoolView pool) {
        return devices.getOrDefault(pool.id(), List.of());
    }

    @ApiResponse(
            responseCode = "200",
            description = "Nodes.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/NodeList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Node"))
            })
    @Get("/nodes")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> nodes(
            HttpRequest<?> request, @QueryValue Optional<String> name, @QueryValue Optional<String> driver) {
        InventoryView inventory = clusterView.read(InventoryView::of);
        NodeDevices devices = NodeDevices.of(inventory);
        List<NodeStatus> nodes = inventory.nodes().stream()
                .filter(node -> name.map(node.name()::equals).orElse(true))
                .filter(node -> driver.map(each -> devices.of(node).stream()
                                .anyMatch(device -> device.id().driver().equals(each)))
                        .orElse(true))
                .toList();
        return ListResponse.of(request, nodes, node -> InventoryJson.node(node, devices.of(node)));
    }
}
