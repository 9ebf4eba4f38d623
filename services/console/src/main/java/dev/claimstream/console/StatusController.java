package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Produces;
import java.util.List;
import java.util.Optional;

/** What there is, and whether it works. */
@Controller
final class StatusController {
    private static final List<String> PATHS = List.of(
            "GET /api/v1/claims?namespace=&name=&node=&driver=&state=&view=object",
            "GET /api/v1/namespaces/{namespace}/claims/{name}",
            "GET /api/v1/namespaces/{namespace}/claims/{name}/explanation",
            "GET /api/v1/watch/claims?namespace=&name=&fromStart=true",
            "GET /api/v1/devices?name=&node=&driver=&pool=&state=",
            "GET /api/v1/pools?name=&node=&driver=",
            "GET /api/v1/nodes?name=&driver=",
            "POST /api/v1/apply?file=",
            "POST /api/v1/delete?file=",
            "DELETE /api/v1/objects/{kind}/{name}?namespace=",
            "GET /health",
            "GET /metrics");
    private static final MediaType PROMETHEUS = MediaType.of("text/plain; version=0.0.4; charset=utf-8");

    private final Feed feed;
    private final Optional<Health> health;
    private final Optional<Meters> meters;

    StatusController(Feed feed, Optional<Health> health, Optional<Meters> meters) {
        this.health = health;
        this.meters = meters;
        health.ifPresent(each -> each.watch("console", () -> condition(feed)));
        this.feed = feed;
    }

    private static Health.Condition condition(Feed feed) {
        if (!feed.isAlive()) {
            return Health.Condition.over("the reader stopped");
        }
        return feed.isCaughtUp()
                ? Health.Condition.up("reads what is decided")
                : Health.Condition.down("still reads what was decided");
    }

    @Get("/api/v1")
    HttpResponse<String> index() {
        return json(HttpStatus.OK, Tree.mapping(fields -> fields.put("paths", Tree.texts(PATHS))));
    }

    /** What all parts of the process say, where they are asked; else what the reader says. */
    @Get("/health")
    HttpResponse<String> health() {
        if (health.isPresent()) {
            Health.Report report = health.get().report();
            return HttpResponse.<String>status(report.isReady() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE)
                    .contentType(MediaType.APPLICATION_JSON_TYPE)
                    .body(report.json() + "\n");
        }
        Health.Condition condition = condition(feed);
        boolean isUp = condition.status() == Health.Status.UP;
        return json(
                isUp ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE,
                Tree.mapping(
                        fields -> fields.put("status", isUp ? "up" : "down").put("reader", condition.sentence())));
    }

    /** The meters of the process as Prometheus reads them. */
    @Get("/metrics")
    @Produces(MediaType.TEXT_PLAIN)
    HttpResponse<String> metrics() {
        return HttpResponse.ok(meters.map(Meters::text).orElse("")).contentType(PROMETHEUS);
    }

    private static HttpResponse<String> json(HttpStatus status, Tree.Mapping body) {
        return HttpResponse.<String>status(status)
                .contentType(MediaType.APPLICATION_JSON_TYPE)
                .body(body.indentedJson());
    }
}
