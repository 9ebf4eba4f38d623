package dev.claimstream.console;

import dev.claimstream.allocation.cell.ItemId;
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
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Serves the pending items in queue order. With a namespace, items of other namespaces have no name. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class QueueController {
    /** Stands for an item that the caller may not see. */
    static final String HIDDEN = VisibleObjects.ELSEWHERE;

    private final ClusterView clusterView;

    QueueController(ClusterView clusterView) {
        this.clusterView = clusterView;
    }

    @ApiResponse(
            responseCode = "200",
            description = "Pending items in queue order.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/QueueItemList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/QueueItem"))
            })
    @Get("/queue")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> queue(HttpRequest<?> request, @QueryValue Optional<String> namespace) {
        List<QueueView.QueuedItem> items = view().items().stream()
                .filter(each -> isVisible(each.rank().item(), namespace))
                .toList();
        VisibleObjects visible = RequestAccess.visible(request);
        return ListResponse.of(request, items, item -> json(item, namespace, visible));
    }

    @ApiResponse(
            responseCode = "200",
            description = "Claims and classes that need attention.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/QueueFindingList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/QueueFinding"))
            })
    @Get("/queue/findings")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> findings(HttpRequest<?> request, @QueryValue Optional<String> namespace) {
        List<QueueView.QueueFinding> findings = view().findings().stream()
                .filter(each -> namespace.isEmpty() || each.namespaces().contains(namespace.get()))
                .toList();
        return ListResponse.of(request, findings, QueueController::json);
    }

    private QueueView view() {
        Instant now = Instant.now();
        return clusterView.read(snapshot -> QueueView.of(snapshot, now));
    }

    private static boolean isVisible(ItemId item, Optional<String> namespace) {
        return namespace.isEmpty() || item.key().namespace().equals(namespace.get());
    }

    private static Tree.Mapping json(QueueView.QueuedItem item, Optional<String> namespace, VisibleObjects visible) {
        return Tree.mapping(fields -> {
            ItemId id = item.rank().item();
            fields.put("position", item.position());
            fields.put("kind", id.kind() == ItemId.ItemKind.POD ? "Pod" : "ResourceClaim");
            fields.put("namespace", id.key().namespace());
            fields.put("name", id.key().name());
            fields.put("priority", item.rank().priority());
            fields.put("reason", item.diagnosis().reason().name());
            fields.put("message", item.diagnosis().message());
            fields.putIfPresent("nearest", item.diagnosis().nearest(), nearest -> Tree.of(nearest.message()));
            fields.putIfPresent("created", item.created(), time -> Tree.of(time.toString()));
            fields.putIfPresent("since", item.since(), time -> Tree.of(time.toString()));
            fields.put("retries", item.retries());
            fields.put("rejections", item.rejections());
            fields.putIfPresent(
                    "ahead",
                    item.ahead(),
                    ahead -> Tree.of(
                            isVisible(ahead, namespace)
                                            && visible.sees(ahead.key().namespace())
                                    ? ahead.toString()
                                    : HIDDEN));
        });
    }

    private static Tree.Mapping json(QueueView.QueueFinding finding) {
        return Tree.mapping(fields -> {
            fields.put("kind", finding.kind());
            fields.put("subject", finding.subject());
            fields.put("since", finding.since().toString());
            fields.put("history", Tree.texts(finding.history()));
        });
    }
}
