package dev.claimstream.console;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
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
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Answers whether objects would fit, from the simulator service. Nothing is created. */
@CommonResponses
@RelayResponses
@Controller("/api/v1/simulate")
@ExecuteOn(TaskExecutors.BLOCKING)
final class SimulationController {
    /** The limit of the simulator, so that no more is held in memory here. */
    private static final int BODY_BYTES_MAX = 8 << 20;

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
    @ApiResponse(responseCode = "413", ref = "#/components/responses/TooLarge")
    @Post
    @Consumes(MediaType.ALL)
    HttpResponse<String> simulate(@Body InputStream body, @QueryValue(defaultValue = "false") boolean shapes)
            throws IOException {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("shapes", Boolean.toString(shapes)));
        byte[] manifests = body.readNBytes(BODY_BYTES_MAX + 1);
        if (manifests.length > BODY_BYTES_MAX) {
            throw new RejectedRequestException(
                    HttpStatus.REQUEST_ENTITY_TOO_LARGE,
                    "the body has more than 8 MiB",
                    "body",
                    "ask about fewer objects at once");
        }
        return simulator.post("/api/v1/simulate", parameters, manifests);
    }
}
