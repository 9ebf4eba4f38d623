package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.simulation.NearestChange;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** Serves claims, their explanations and the claim watch. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ClaimsController {
    /** Response header with the state of an explained claim. */
    static final String STATE_HEADER = "Claimstream-State";

    /** Response header of the list with the number of the last change that it contains. */
    static final String CHANGE_HEADER = "Claimstream-Change";

    private static final int BUFFER_MAX = 100_000;
    private static final Duration KEEPALIVE_INTERVAL = Duration.ofSeconds(15);

    private final ClusterView clusterView;
    private final StreamLimits limits;
    private final NearestChangeFinder nearestChanges;

    ClaimsController(ClusterView clusterView, StreamLimits limits, NearestChangeFinder nearestChanges) {
        this.clusterView = clusterView;
        this.limits = limits;
        this.nearestChanges = nearestChanges;
    }

    @ApiResponse(
            responseCode = "200",
            description = "Claims; with view=object as Kubernetes objects.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/ClaimList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Claim"))
            })
    @Get("/claims")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> claims(
            HttpRequest<?> request,
            @QueryValue Optional<String> namespace,
            @QueryValue Optional<String> name,
            @QueryValue Optional<String> node,
            @QueryValue Optional<String> driver,
            @QueryValue Optional<String> state,
            @QueryValue Optional<String> view) {
        state.ifPresent(ClaimsController::check);
        Predicate<ClaimView> filter =
                claim -> namespace.map(claim.key().namespace()::equals).orElse(true)
                        && name.map(claim.key().name()::equals).orElse(true)
                        && node.map(each -> isOn(each, claim)).orElse(true)
                        && driver.map(each -> isOf(each, claim)).orElse(true)
                        && state.map(each -> ClaimStateText.contains(claim.state(), each))
                                .orElse(true);
        ClaimList list = clusterView.read(
                snapshot -> new ClaimList(snapshot.claims().filter(filter).toList(), snapshot.lastChangeNumber()));
        return ListResponse.of(
                        request,
                        list.claims(),
                        view.filter("object"::equals).isPresent() ? ClaimJson::object : ClaimJson::summary)
                .header(CHANGE_HEADER, Long.toString(list.lastChange()));
    }

    private record ClaimList(List<ClaimView> claims, long lastChange) {}

    private static void check(String state) {
        if (!ClaimStateText.isKnown(state)) {
            throw new RejectedRequestException(
                    HttpStatus.BAD_REQUEST,
                    "state %s is not known".formatted(state),
                    "state",
                    "use %s, or several of them with commas".formatted(ClaimStateText.knownWords()));
        }
    }

    private static boolean isOn(String node, ClaimView claim) {
        return claim.allocation()
                .flatMap(allocation -> allocation.nodeSelector())
                .flatMap(selector -> selector.onlyNode())
                .filter(node::equals)
                .isPresent();
    }

    private static boolean isOf(String driver, ClaimView claim) {
        return claim.allocation().stream()
                .flatMap(allocation -> allocation.results().stream())
                .anyMatch(result -> result.device().driver().equals(driver));
    }

    @ApiResponse(
            responseCode = "200",
            description = "A claim with its object.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/Claim")))
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/namespaces/{namespace}/claims/{name}")
    HttpResponse<String> claim(@PathVariable String namespace, @PathVariable String name) {
        ClaimView claim = find(new ObjectKey(namespace, name));
        Tree.Mapping body = Tree.mapping(fields -> {
            ClaimJson.summary(claim).fields().forEach(fields::put);
            fields.put("object", ClaimJson.object(claim));
        });
        return HttpResponse.ok(body.indentedJson()).contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    @ApiResponse(
            responseCode = "200",
            description = "Why the claim is in its state.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/ClaimExplanation")),
                @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(ref = "#/components/schemas/Text"))
            })
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/namespaces/{namespace}/claims/{name}/explanation")
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> explanation(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        var key = new ObjectKey(namespace, name);
        find(key).explanation().map(Explanation::item).ifPresent(item -> ExplanationRefresh.await(clusterView, item));
        ClaimView claim = find(key);
        boolean asText = request.accept().contains(MediaType.TEXT_PLAIN_TYPE);
        return HttpResponse.ok(
                        asText
                                ? ExplanationText.of(claim.result()) + foreignText(claim)
                                : ExplanationJson.of(claim.result()))
                .header(STATE_HEADER, claim.state())
                .contentType(asText ? MediaType.TEXT_PLAIN_TYPE : MediaType.APPLICATION_JSON_TYPE);
    }

    /**
     * Returns the smallest changes that would help a pending claim. They name and count devices and nodes of all namespaces, so that a
     * caller who may not list ResourceSlices and nodes gets none.
     */
    @ApiResponse(
            responseCode = "200",
            description = "The smallest changes that would help a pending claim.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/NearestChanges")))
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/namespaces/{namespace}/claims/{name}/nearest-changes")
    HttpResponse<String> nearestChanges(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        ClaimView claim = find(new ObjectKey(namespace, name));
        VisibleObjects visible = RequestAccess.visible(request);
        boolean isSought = claim.allocation().isEmpty() && visible.hasDevices() && visible.hasNodes();
        List<NearestChange> changes = isSought ? nearestChanges.changes(claim.key()) : List.of();
        return HttpResponse.ok(Tree.mapping(fields -> fields.put(
                                        "claim", claim.key().toString())
                                .put(
                                        "changes",
                                        new Tree.Sequence(changes.stream()
                                                .<Tree>map(ClaimsController::nearestChange)
                                                .toList())))
                        .indentedJson())
                .contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    private static Tree.Mapping nearestChange(NearestChange change) {
        return Tree.mapping(fields -> fields.put("kind", change.kind().name())
                .put("text", change.text())
                .put("devices", change.devices()));
    }

    /** Returns a line about a claim of another producer; empty for a claim of the cluster. */
    private static String foreignText(ClaimView claim) {
        return claim.isForeign()
                ? "  not committed: the cluster has no such claim; another producer has published it%s%n"
                        .formatted(claim.claim()
                                .meta()
                                .created()
                                .map(at -> ", created " + at)
                                .orElse(""))
                : "";
    }

    private ClaimView find(ObjectKey key) {
        return clusterView
                .read(snapshot -> snapshot.claim(key))
                .orElseThrow(() -> new RejectedRequestException(
                        HttpStatus.NOT_FOUND,
                        "there is no claim %s".formatted(key),
                        "path",
                        "GET /api/v1/claims lists all claims"));
    }

    /** Streams every change from now on, one per line. The first empty line is sent when the stream has begun; others are keepalives. */
    @ApiResponse(
            responseCode = "200",
            description = "A stream of changes, one line of JSON each; empty lines keep it open.",
            content =
                    @Content(
                            mediaType = ListResponse.LINES,
                            schema = @Schema(ref = "#/components/schemas/ClaimChange")))
    @Get("/watch/claims")
    @Produces(ListResponse.LINES)
    HttpResponse<Flux<String>> watch(
            HttpRequest<?> request,
            @QueryValue Optional<String> namespace,
            @QueryValue Optional<String> name,
            @QueryValue(defaultValue = "false") String fromStart) {
        if (!fromStart.equals("true") && !fromStart.equals("false")) {
            throw new RejectedRequestException(
                    HttpStatus.BAD_REQUEST,
                    "fromStart %s is not known".formatted(fromStart),
                    "fromStart",
                    "use true or false");
        }
        VisibleObjects visible = RequestAccess.visible(request);
        StreamLimits.OpenWatch watch = limits.open(LiveController.client(request));
        Flux<String> changes = Flux.<String>create(
                        sink -> subscribe(
                                sink,
                                key -> visible.sees(key.namespace())
                                        && namespace
                                                .map(key.namespace()::equals)
                                                .orElse(true)
                                        && name.map(key.name()::equals).orElse(true),
                                Boolean.parseBoolean(fromStart)),
                        FluxSink.OverflowStrategy.IGNORE)
                .onBackpressureBuffer(BUFFER_MAX);
        return HttpResponse.<Flux<String>>ok(
                        changes.mergeWith(Flux.interval(KEEPALIVE_INTERVAL).map(_ -> "\n"))
                                .doOnSubscribe(_ -> watch.start())
                                .doFinally(_ -> watch.close()))
                .contentType(MediaType.of(ListResponse.LINES));
    }

    private void subscribe(FluxSink<String> sink, Predicate<ObjectKey> filter, boolean fromStart) {
        AutoCloseable following = clusterView.subscribe(
                (sort, number, claim, summary) -> {
                    if (filter.test(claim)) {
                        sink.next("{\"type\":\"%s\",\"claim\":%s,\"number\":%d}%n".formatted(sort, summary, number));
                    }
                },
                fromStart);
        sink.onDispose(() -> close(following));
        sink.next("\n");
    }

    private static void close(AutoCloseable following) {
        try {
            following.close();
        } catch (Exception e) {
            throw new IllegalStateException("nothing in it throws", e);
        }
    }
}
