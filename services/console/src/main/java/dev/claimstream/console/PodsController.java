package dev.claimstream.console;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.selectors.CelSelectors;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Serves explanations of pods. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class PodsController {
    private final ClusterView clusterView;
    private final CelSelectors selectors;
    private final FeatureGates features;

    PodsController(ClusterView clusterView, CelSelectors selectors, Optional<FeatureGates> features) {
        this.clusterView = clusterView;
        this.selectors = selectors;
        this.features = features.orElseGet(FeatureGates::defaults);
    }

    private record PodSnapshot(Pod pod, PodExplainer explainer, Optional<Explanation> explanation) {}

    @ApiResponse(
            responseCode = "200",
            description = "The state of the claims of a pod.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/PodExplanation")),
                @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text"))
            })
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/namespaces/{namespace}/pods/{name}/explanation")
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> explanation(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        var key = new ObjectKey(namespace, name);
        ExplanationRefresh.await(clusterView, ItemId.pod(key));
        PodSnapshot podSnapshot = snapshot(key);
        PodResult result = podSnapshot.explainer.explain(
                podSnapshot.pod,
                podSnapshot
                        .explainer
                        .schedulerClaims(features, selectors, CellSettings.SEARCH_STEPS_DEFAULT)
                        .of(podSnapshot.pod),
                podSnapshot.explanation);
        boolean asText = request.accept().contains(MediaType.TEXT_PLAIN_TYPE);
        return HttpResponse.ok(asText ? result.text() : result.json())
                .header(ClaimsController.STATE_HEADER, result.state().text())
                .contentType(asText ? MediaType.TEXT_PLAIN_TYPE : MediaType.APPLICATION_JSON_TYPE);
    }

    private PodSnapshot snapshot(ObjectKey key) {
        return clusterView
                .read(snapshot -> snapshot.find(Kind.POD, key)
                        .map(pod -> new PodSnapshot(
                                (Pod) pod, explainer(snapshot.everything()), snapshot.explanation(ItemId.pod(key)))))
                .orElseThrow(() -> new RejectedRequestException(
                        HttpStatus.NOT_FOUND, "there is no pod %s".formatted(key), "path", "name an existing pod"));
    }

    /** The result depends on the devices of all namespaces; names of other namespaces in its messages are hidden in the answer. */
    private static PodExplainer explainer(ClusterView.Snapshot snapshot) {
        return new PodExplainer(otherObjects(snapshot), claimResults(snapshot));
    }

    private static List<ClusterObject> otherObjects(ClusterView.Snapshot snapshot) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind != Kind.RESOURCE_CLAIM)
                .flatMap(snapshot::all)
                .toList();
    }

    private static List<ClaimResult> claimResults(ClusterView.Snapshot snapshot) {
        Stream<ClaimView> claims = snapshot.claims();
        return claims.map(ClaimView::result).toList();
    }
}
