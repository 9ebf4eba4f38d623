package dev.claimstream.console;

import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Serves the past, from the history service: {@code columns}, {@code rows} and {@code notes} as that service renders them. */
@CommonResponses
@RelayResponses
@Controller("/api/v1/past")
@ExecuteOn(TaskExecutors.BLOCKING)
final class PastController {
    private static final int STEPS_DEFAULT = 48;

    private final ServiceRelay history;

    PastController(ServiceRelays services) {
        history = services.history();
    }

    /** Returns device hours by group in equal steps of a time, and of devices that no claim had. */
    @ApiResponse(
            responseCode = "200",
            description = "Device hours in equal steps of time.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/usage")
    HttpResponse<String> usage(
            @QueryValue(defaultValue = "namespace") String by,
            @QueryValue Optional<String> since,
            @QueryValue Optional<String> until,
            @QueryValue(defaultValue = "" + STEPS_DEFAULT) int steps) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("by", by, "steps", Integer.toString(steps)));
        since.ifPresent(each -> parameters.put("since", each));
        until.ifPresent(each -> parameters.put("until", each));
        return history.get("/api/v1/usage-series", parameters);
    }

    /** Returns the claims that have held a device, the first one first. */
    @ApiResponse(
            responseCode = "200",
            description = "The past and present claims of a device.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/holders")
    HttpResponse<String> holders(@QueryValue String device) {
        return history.get("/api/v1/history", new TreeMap<>(Map.of("kind", "device", "name", device)));
    }

    /** Returns when a claim was pending and allocated, also of a claim that is deleted. */
    @ApiResponse(
            responseCode = "200",
            description = "When a claim was pending and allocated.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/claims")
    HttpResponse<String> claims(@QueryValue String claim) {
        return history.get("/api/v1/history", new TreeMap<>(Map.of("kind", "claim", "name", claim)));
    }

    /**
     * Returns the claims that a device is or was allocated to, and their pods.
     *
     * @param at time of the past; empty for the last input
     */
    @ApiResponse(
            responseCode = "200",
            description = "The claims that a device is or was allocated to, and their pods.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/who")
    HttpResponse<String> who(@QueryValue String device, @QueryValue Optional<String> at) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("device", device));
        at.ifPresent(each -> parameters.put("at", each));
        return history.get("/api/v1/who", parameters);
    }

    /**
     * Returns the allocations and pending periods of an object.
     *
     * @param kind claim, pod, device, node, namespace or class
     */
    @ApiResponse(
            responseCode = "200",
            description = "The allocations and pending periods of an object.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/history")
    HttpResponse<String> history(
            @QueryValue String kind,
            @QueryValue String name,
            @QueryValue Optional<String> since,
            @QueryValue Optional<String> until) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("kind", kind, "name", name));
        since.ifPresent(each -> parameters.put("since", each));
        until.ifPresent(each -> parameters.put("until", each));
        return history.get("/api/v1/history", parameters);
    }

    /**
     * Returns device hours by group.
     *
     * @param weights cost of a weighted hour, as {@code CLASS=WEIGHT,...}
     */
    @ApiResponse(
            responseCode = "200",
            description = "Device hours by group.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/device-hours")
    HttpResponse<String> deviceHours(
            @QueryValue(defaultValue = "namespace") String by,
            @QueryValue Optional<String> since,
            @QueryValue Optional<String> until,
            @QueryValue Optional<String> weights) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("by", by));
        since.ifPresent(each -> parameters.put("since", each));
        until.ifPresent(each -> parameters.put("until", each));
        weights.ifPresent(each -> parameters.put("weights", each));
        return history.get("/api/v1/usage", parameters);
    }

    /** Returns the claims and pods that a fault of a device or node affects. */
    @ApiResponse(
            responseCode = "200",
            description = "The claims and pods that a fault of a device or node affects.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/HistoryTable")))
    @Get("/blast-radius")
    HttpResponse<String> blastRadius(@QueryValue String target, @QueryValue Optional<String> since) {
        SortedMap<String, String> parameters = new TreeMap<>(Map.of("target", target));
        since.ifPresent(each -> parameters.put("since", each));
        return history.get("/api/v1/blast-radius", parameters);
    }
}
