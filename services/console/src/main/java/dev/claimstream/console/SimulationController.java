package dev.claimstream.console;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answers whether objects would fit, from the simulator service. Nothing is created. */
@CommonResponses
@RelayResponses
@Controller("/api/v1/simulate")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SimulationController {
    private final ServiceRelay simulator;

    SimulationController(ServiceRelays services) {
        simulator = services.simulator();
    }

    /**
     * Returns what would happen to the objects of the body.
     *
     * @param shapes whether to try one more node of each shape for the pending items
     */
    @ApiResponse(
            responseCode = "200",
            description = "What would happen to the objects.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/Simulation")))
    @ApiResponse(responseCode = "411", ref = "#/components/responses/LengthRequired")
    @ApiResponse(responseCode = "413", ref = "#/components/responses/TooLarge")
    @Post
    @Consumes(MediaType.ALL)
    HttpResponse<String> simulate(@Body byte[] body, @QueryValue(defaultValue = "false") boolean shapes) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("shapes", Boolean.toString(shapes)));
        return simulator.post("/api/v1/simulate", parameters, body);
    }
}
