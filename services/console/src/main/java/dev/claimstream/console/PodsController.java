package dev.claimstream.console;

import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Features;
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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Serves explanations of pods. */
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class PodsController {
    private final World world;
    private final CelSelectors selectors;
    private final Features features;

    PodsController(World world, CelSelectors selectors, Optional<Features> features) {
        this.world = world;
        this.selectors = selectors;
        this.features = features.orElseGet(Features::defaults);
    }

    private record Seen(Pod pod, PodAnswers answers, Optional<Explanation> explanation) {}

    @Get("/namespaces/{namespace}/pods/{name}/explanation")
    @Produces({MediaType.APPLICATION_JSON, MediaType.TEXT_PLAIN})
    HttpResponse<String> explanation(
            HttpRequest<?> request, @PathVariable String namespace, @PathVariable String name) {
        var key = new ObjectKey(namespace, name);
        PresentState.await(world, ItemId.pod(key));
        Seen seen = see(key);
        PodAnswer answer = seen.answers.of(
                seen.pod,
                seen.answers
                        .schedulerClaims(features, selectors, Settings.SEARCH_STEPS_DEFAULT)
                        .of(seen.pod),
                seen.explanation);
        boolean asText = request.accept().contains(MediaType.TEXT_PLAIN_TYPE);
        return HttpResponse.ok(asText ? answer.text() : answer.json())
                .header(ClaimsController.STATE_HEADER, answer.state().text())
                .contentType(asText ? MediaType.TEXT_PLAIN_TYPE : MediaType.APPLICATION_JSON_TYPE);
    }

    private Seen see(ObjectKey key) {
        return world.look(moment -> moment.find(Kind.POD, key)
                        .map(pod -> new Seen(
                                (Pod) pod,
                                new PodAnswers(others(moment), answers(moment)),
                                moment.explanation(ItemId.pod(key)))))
                .orElseThrow(() -> new Refusal(
                        HttpStatus.NOT_FOUND, "there is no pod %s".formatted(key), "path", "name one that is there"));
    }

    private static List<ClusterObject> others(World.Moment moment) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind != Kind.RESOURCE_CLAIM)
                .flatMap(moment::all)
                .toList();
    }

    private static List<Answer> answers(World.Moment moment) {
        Stream<ClaimView> claims = moment.claims();
        return claims.map(ClaimView::answer).toList();
    }
}
