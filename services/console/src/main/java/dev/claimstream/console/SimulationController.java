package dev.claimstream.console;

import dev.claimstream.console.ServiceRelay.RelayParameter;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Answers whether objects would fit, and which devices fit an item, from the simulator service. Nothing is created. */
@CommonResponses
@RelayResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SimulationController {
    private final ServiceRelay simulator;

    SimulationController(ServiceRelays services) {
        simulator = services.simulator();
    }

    /**
     * Returns what would happen to the objects of the body.
     *
     * @param addNodes {@code SHAPE=N}: empty nodes that are added, each like a node of this name or instance type
     * @param drain nodes that are drained
     * @param policy {@code best-fit} or {@code first-fit}; empty for that of the cell
     * @param shapes whether to try one more node of each shape for the pending items
     */
    @ApiResponse(
            responseCode = "200",
            description = "The simulated result for the objects.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/Simulation")),
                @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text"))
            })
    @ApiResponse(responseCode = "411", ref = "#/components/responses/LengthRequired")
    @ApiResponse(responseCode = "413", ref = "#/components/responses/TooLarge")
    @Post("/simulate")
    @Consumes(MediaType.ALL)
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> simulate(
            HttpRequest<?> request,
            @Body byte[] body,
            @QueryValue(defaultValue = "") List<String> addNodes,
            @QueryValue(defaultValue = "") List<String> drain,
            @QueryValue Optional<String> policy,
            @QueryValue(defaultValue = "false") boolean shapes) {
        List<RelayParameter> parameters = Stream.of(
                        parameters("addNodes", addNodes),
                        parameters("drain", drain),
                        parameters("policy", policy.stream().toList()),
                        Stream.of(new RelayParameter("shapes", Boolean.toString(shapes))))
                .flatMap(each -> each)
                .toList();
        return simulator.post("/api/v1/simulate", parameters, body, accepted(request));
    }

    private static Stream<RelayParameter> parameters(String name, List<String> values) {
        return values.stream().filter(each -> !each.isEmpty()).map(each -> new RelayParameter(name, each));
    }

    /** Returns each device with the first requirement of a claim that it fails, and what would help. */
    @ApiResponse(
            responseCode = "200",
            description = "Each device with the first requirement of the claim that it fails.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/DeviceReport")),
                @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text"))
            })
    @Get("/namespaces/{namespace}/claims/{name}/devices")
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> devicesOfClaim(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        return devices(request, namespace, "claims", name);
    }

    /** Returns each device with the first requirement of a pod's claims that it fails, and what would help. */
    @ApiResponse(
            responseCode = "200",
            description = "Each device with the first requirement of the pod's claims that it fails.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/DeviceReport")),
                @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text"))
            })
    @Get("/namespaces/{namespace}/pods/{name}/devices")
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> devicesOfPod(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        return devices(request, namespace, "pods", name);
    }

    private HttpResponse<String> devices(HttpRequest<?> request, String namespace, String kind, String name) {
        String path = "/api/v1/namespaces/%s/%s/%s/devices".formatted(encoded(namespace), kind, encoded(name));
        return simulator.get(path, accepted(request));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static MediaType accepted(HttpRequest<?> request) {
        return request.accept().contains(MediaType.TEXT_PLAIN_TYPE)
                ? MediaType.TEXT_PLAIN_TYPE
                : MediaType.APPLICATION_JSON_TYPE;
    }
}
