package dev.claimstream.console;

import dev.claimstream.allocation.cell.Comparison;
import dev.claimstream.allocation.cell.Comparison.ComparedAllocation;
import dev.claimstream.allocation.cell.Comparison.ComparisonResult;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.manifests.tree.Tree;
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
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Serves the comparisons of observe-only mode. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ComparisonsController {
    private final ClusterView clusterView;

    ComparisonsController(ClusterView clusterView) {
        this.clusterView = clusterView;
    }

    @ApiResponse(
            responseCode = "200",
            description = "The last comparison of each claim.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/ComparisonList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Comparison"))
            })
    @Get("/comparisons")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> comparisons(
            HttpRequest<?> request, @QueryValue Optional<String> namespace, @QueryValue Optional<String> result) {
        result.ifPresent(ComparisonsController::check);
        List<Comparison> all = clusterView.read(ClusterView.Snapshot::comparisons).stream()
                .filter(each -> namespace.map(each.claim().namespace()::equals).orElse(true))
                .filter(each -> result.map(each.result().text()::equals).orElse(true))
                .toList();
        return ListResponse.of(request, all, ComparisonsController::json);
    }

    private static void check(String result) {
        if (Arrays.stream(ComparisonResult.values())
                .noneMatch(each -> each.text().equals(result))) {
            String known = Arrays.stream(ComparisonResult.values())
                    .map(ComparisonResult::text)
                    .collect(Collectors.joining(", "));
            throw new RejectedRequestException(
                    HttpStatus.BAD_REQUEST, "result %s is not known".formatted(result), "result", "use " + known);
        }
    }

    private static Tree.Mapping json(Comparison comparison) {
        return Tree.mapping(fields -> {
            fields.put("namespace", comparison.claim().namespace())
                    .put("name", comparison.claim().name())
                    .put("uid", comparison.claimUid())
                    .put("result", comparison.result().text());
            if (comparison.item().kind() == ItemId.ItemKind.POD) {
                fields.put("pod", comparison.item().key().name());
            }
            comparison.since().ifPresent(since -> fields.put("since", since.toString()));
            comparison.decided().ifPresent(decided -> fields.put("claimstream", json(decided, comparison.since())));
            comparison.pending().ifPresent(reason -> fields.put("pending", reason.name()));
            comparison.actual().ifPresent(actual -> fields.put("kubeScheduler", json(actual, comparison.since())));
        });
    }

    private static Tree.Mapping json(ComparedAllocation allocation, Optional<Instant> since) {
        return Tree.mapping(fields -> {
            fields.putUnlessEmpty("node", allocation.node());
            fields.putList(
                    "devices", List.copyOf(allocation.devices()), (DeviceId device) -> Tree.of(device.toString()));
            fields.put("at", allocation.at().toString());
            since.ifPresent(begin -> fields.put("pendingSeconds", waitOf(begin, allocation.at())));
        });
    }

    /** The clocks of brokers and API server may differ by a little: a wait is never negative. */
    private static long waitOf(Instant since, Instant at) {
        return Math.max(0, Duration.between(since, at).toSeconds());
    }
}
